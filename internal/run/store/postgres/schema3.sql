CREATE TABLE kept ( -- texts, such as the suites of runs and how answers were read
	name    TEXT PRIMARY KEY,
	content BYTEA NOT NULL,
	hash    BYTEA
);
