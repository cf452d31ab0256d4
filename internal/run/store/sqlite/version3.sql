ALTER TABLE model ADD COLUMN hash BLOB;      -- of every row, as of all of them: SHA-256 of its other columns, but for the row number
ALTER TABLE record ADD COLUMN raw_hash BLOB; -- of the raw body alone, which the hash of the row leaves out
ALTER TABLE record ADD COLUMN hash BLOB;
ALTER TABLE run ADD COLUMN digest TEXT;      -- JSON: the records that its result rests on
ALTER TABLE run ADD COLUMN result_hash BLOB; -- of the result alone, which the hash of the row leaves out
ALTER TABLE run ADD COLUMN hash BLOB;
ALTER TABLE annotation ADD COLUMN hash BLOB;

CREATE TABLE usage (
	id     INTEGER PRIMARY KEY, -- the order in which it was added
	run    TEXT NOT NULL,       -- id of the run
	key    BLOB,                -- of the call, as in record; NULL where it was none of the plan
	tries  INTEGER NOT NULL,    -- requests that were sent
	tokens INTEGER NOT NULL,    -- prompt and answer
	usd    REAL NOT NULL,
	at     INTEGER,             -- when it was added, in nanoseconds since 1970, UTC
	hash   BLOB
) STRICT;

CREATE TABLE hold (
	id          INTEGER PRIMARY KEY, -- of the session: a process that asks under a budget
	run         TEXT NOT NULL,       -- id of the run
	held_calls  INTEGER NOT NULL,    -- what no record and no usage shows of what follows
	held_tokens INTEGER NOT NULL,
	held_usd    REAL NOT NULL,
	calls       INTEGER NOT NULL,    -- all that the session spent or set aside
	tokens      INTEGER NOT NULL,
	usd         REAL NOT NULL,
	at          INTEGER,             -- when it was stored, in nanoseconds since 1970, UTC
	hash        BLOB
) STRICT;

CREATE TABLE tally (
	name  TEXT PRIMARY KEY,  -- of the table that is counted: run, annotation, usage, hold; record; or mark: two random numbers
	n     INTEGER NOT NULL,  -- its rows; of record those that were there before version 3, and carry no hash
	older INTEGER NOT NULL,  -- of record the last of those; else 0
	hash  BLOB
) STRICT, WITHOUT ROWID;
