CREATE TABLE model (
	id       INTEGER PRIMARY KEY,
	identity TEXT NOT NULL UNIQUE
) STRICT;

CREATE TABLE record (
	id        INTEGER PRIMARY KEY, -- the order of commits
	key       BLOB NOT NULL,       -- SHA-256 of the call, 32 bytes
	model     INTEGER NOT NULL REFERENCES model (id),
	repeat    INTEGER NOT NULL,    -- the number of the draw, from 0
	request   TEXT NOT NULL,       -- JSON
	response  TEXT,                -- JSON, without the raw body; NULL if the call failed
	raw       BLOB,                -- the body as it came, if there was one
	failure   TEXT,                -- why there is no response; NULL if there is one
	transient INTEGER NOT NULL,    -- 1 if the failure may pass
	attempts  INTEGER NOT NULL,    -- tries made
	at        INTEGER,             -- when it was committed, in nanoseconds since 1970, UTC
	CHECK ((response IS NULL) <> (failure IS NULL))
) STRICT;

CREATE INDEX record_key ON record (key);

CREATE TABLE run (
	id       TEXT PRIMARY KEY, -- hash of the resolved plan
	plan     TEXT,             -- JSON
	started  INTEGER,          -- in nanoseconds since 1970, UTC
	finished INTEGER,          -- NULL until the run ended
	result   TEXT              -- JSON, of a finished run
) STRICT, WITHOUT ROWID;
