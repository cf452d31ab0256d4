package postgres

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"database/sql"
	"errors"
	"slices"
	"time"

	"hallmark/internal/run"
	"hallmark/internal/run/store/row"
)

var _ run.LeaseStore = (*Store)(nil)

// term is how long a process is held to live.
var term = run.Term

// Lease implements run.LeaseStore, by the server's clock alone. Who asks for a model waits until others that ask for it
// have their answer.
func (s *Store) Lease(ctx context.Context, session string, asks []run.Ask) ([]run.Grant, error) {
	names, order := make([][]byte, len(asks)), make([]int, len(asks))
	for i, a := range asks {
		name := sha256.Sum256([]byte(a.Model))
		names[i], order[i] = name[:], i
	}
	slices.SortFunc(order, func(i, j int) int { // so that none waits for another that waits for it
		return cmp.Or(bytes.Compare(names[i], names[j]), cmp.Compare(i, j))
	})
	grants := make([]run.Grant, len(asks))
	err := s.DB.Change(ctx, func(tx *sql.Tx) error {
		for _, i := range order {
			if err := lease(ctx, tx, names[i], session, &asks[i], &grants[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return grants, err
}

func lease(ctx context.Context, tx *sql.Tx, name []byte, session string, a *run.Ask, g *run.Grant) error {
	p, now, err := rateState(ctx, tx, name)
	if err != nil {
		return err
	}
	free, others, err := seats(ctx, tx, name, session, now)
	if err != nil {
		return err
	}
	was := p
	var own run.Seat
	*g, own = a.Grant(&p, session, others, now)
	if own.Until.After(now) {
		own.Until = now.Add(term)
	}
	if p != was {
		if _, err := tx.ExecContext(ctx, "UPDATE pace SET requests = $2, tokens = $3 WHERE model = $1", name,
			p.Requests,
			p.Tokens); err != nil {
			return err
		}
	}
	values := []any{name, session, own.Held, own.Wanted, own.Until}
	if free == "" {
		_, err = tx.ExecContext(ctx, "INSERT INTO seat (model, session, held, wanted, until) VALUES ($1, $2, $3, $4, "+
			"$5)", values...)
		return err
	}
	_, err = tx.ExecContext(ctx, "UPDATE seat SET session = $2, held = $3, wanted = $4, until = $5 "+
		"WHERE model = $1 AND session = $6", append(values, free)...)
	return err
}

// rateState keeps others from what is granted of a model until the transaction ends, and returns it and the time.
func rateState(ctx context.Context, tx *sql.Tx, name []byte) (p run.RateState, now time.Time, err error) {
	const read = "SELECT requests, tokens FROM pace WHERE model = $1 FOR UPDATE"
	err = tx.QueryRowContext(ctx, read, name).Scan(&p.Requests, &p.Tokens)
	if errors.Is(err, sql.ErrNoRows) {
		if _, err = tx.ExecContext(ctx, "INSERT INTO pace (model, requests, tokens) VALUES ($1, clock_timestamp(), "+
			"clock_timestamp()) ON CONFLICT DO NOTHING", name); err == nil {
			err = tx.QueryRowContext(ctx, read, name).Scan(&p.Requests, &p.Tokens)
		}
	}
	if err == nil { // in a query of its own: it is the time once nobody else has the row
		err = tx.QueryRowContext(ctx, "SELECT clock_timestamp()").Scan(&now)
	}
	return p, now, err
}

// seats returns the seats of a model that other sessions have, and the session of a row that can be written over.
func seats(ctx context.Context, tx *sql.Tx, name []byte, session string, now time.Time) (free string,
	others []run.Seat, err error) {
	rows, err := query(ctx, tx, "SELECT session, held, wanted, until > $2 FROM seat WHERE model = $1 ORDER BY session",
		name, now)
	if err != nil {
		return "", nil, err
	}
	err = row.Each(rows, func(cells []row.Cell) error {
		id, _ := cells[0].V.(string)
		held, _ := cells[1].V.(int64)
		wanted, _ := cells[2].V.(int64)
		switch lives, _ := cells[3].V.(bool); {
		case id == session:
			free = id
		case lives:
			others = append(others, run.Seat{Session: id, Held: int(held), Wanted: int(wanted)})
		case free == "":
			free = id
		}
		return nil
	})
	return free, others, err
}

func (s database) Lives(ctx context.Context, q row.Queries, runID string, holds []run.Hold) error {
	if q == nil {
		return s.again(ctx, func() error { return s.Lives(ctx, s.db, runID, holds) })
	}
	rows, err := query(ctx, q, "SELECT id, coalesce(until > clock_timestamp(), FALSE), firm FROM hold WHERE run = $1",
		put(row.Valid(runID)))
	if err != nil {
		return err
	}
	lives, firm := map[int64]bool{}, map[int64]bool{}
	err = row.Each(rows, func(cells []row.Cell) error {
		id, _ := cells[0].V.(int64)
		lives[id], _ = cells[1].V.(bool)
		firm[id], _ = cells[2].V.(bool)
		return nil
	})
	for i := range holds {
		holds[i].Firm = firm[holds[i].ID]
		if holds[i].Life = run.Lapsed; lives[holds[i].ID] {
			holds[i].Life = run.Lives
		}
	}
	return err
}
