package postgres

import (
	"context"

	"github.com/jackc/pgx/v5/pgxpool"
)

// Pool connects to the schema of the store by pgx itself, for what is beside the records: the queue of runs. Its
// connections are set up as those of the store.
func (s *Store) Pool(ctx context.Context, most int32) (*pgxpool.Pool, error) {
	text, err := connection(s.ref)
	if err != nil {
		return nil, err
	}
	c, err := pgxpool.ParseConfig(text)
	if err != nil {
		return nil, &finding{s.ref, "is no connection string that can be used: " + why(err)}
	}
	if err := private(s.ref, c.ConnConfig); err != nil {
		return nil, err
	}
	named(c.ConnConfig.RuntimeParams)
	delete(c.ConnConfig.RuntimeParams, "search_path")
	c.AfterConnect, c.MaxConns = s.session, most
	pool, err := pgxpool.NewWithConfig(ctx, c)
	return pool, s.Explain(err)
}

// Schema is the name of the schema of the store.
func (s *Store) Schema() string { return s.schema }

// Finding returns an error about the store that says all there is to say.
func (s *Store) Finding(what string) error { return &finding{s.ref, what} }
