CREATE TABLE queue_run (
	id      TEXT PRIMARY KEY,
	program TEXT NOT NULL,   -- by which its waves are planned
	suites  TEXT NOT NULL,   -- their names and hashes, JSON
	told    TEXT NOT NULL,   -- limits and prices, JSON: no key and no program
	state   TEXT NOT NULL,   -- open, paused, cancelled or finished
	wave    BIGINT NOT NULL, -- that is planned or asked
	planned BOOLEAN NOT NULL,
	open    BIGINT NOT NULL, -- shards of the wave that are not done
	trouble TEXT,            -- what a worker last met
	created TIMESTAMPTZ NOT NULL DEFAULT now(),
	ended   TIMESTAMPTZ
);

CREATE TABLE queue_shard (
	run     TEXT NOT NULL REFERENCES queue_run ON DELETE CASCADE,
	wave    BIGINT NOT NULL,
	number  BIGINT NOT NULL, -- 0 plans the wave, the others ask calls of it
	purpose TEXT NOT NULL,
	calls   BIGINT NOT NULL,
	done    BOOLEAN NOT NULL DEFAULT FALSE,
	holder  TEXT,            -- the worker that has it
	lease   TIMESTAMPTZ,     -- when the holder last said so
	answered BIGINT NOT NULL DEFAULT 0, -- calls that have an outcome, of whoever asked
	asked   BIGINT NOT NULL DEFAULT 0,
	reused  BIGINT NOT NULL DEFAULT 0,
	failed  BIGINT NOT NULL DEFAULT 0,
	skipped BIGINT NOT NULL DEFAULT 0,
	job     BIGINT,          -- of River, that brings it to a worker
	digest  BYTEA,           -- of the keys of the calls
	body    BYTEA,           -- the calls, JSON lines in zstd; none once they are asked
	without BYTEA,           -- the keys of those that were skipped, the first 16 bytes of each
	PRIMARY KEY (run, wave, number)
);

CREATE INDEX queue_shard_open ON queue_shard (run, wave) WHERE NOT done;
