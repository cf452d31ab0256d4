ALTER TABLE hold ADD COLUMN until TIMESTAMPTZ; -- when its process is held to have ended, by the server's clock; in no hash
ALTER TABLE hold ADD COLUMN firm BOOLEAN NOT NULL DEFAULT FALSE; -- nothing of what is held will be given back; in no hash

CREATE TABLE pace ( -- until when all is granted that may be sent to a model at its rate
	model    BYTEA PRIMARY KEY, -- SHA-256 of its identity
	requests TIMESTAMPTZ NOT NULL,
	tokens   TIMESTAMPTZ NOT NULL
);

CREATE TABLE seat ( -- what each process has of the calls in flight to a model; one that has ended leaves its row to the next
	model   BYTEA NOT NULL,
	session TEXT NOT NULL,
	held    BIGINT NOT NULL,
	wanted  BIGINT NOT NULL,
	until   TIMESTAMPTZ NOT NULL,
	PRIMARY KEY (model, session)
);
