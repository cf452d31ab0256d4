package inmemory

import (
	"context"
	"time"

	"hallmark/internal/run"
)

var _ run.LeaseStore = (*Store)(nil)

// Lease implements run.LeaseStore.
func (s *Store) Lease(ctx context.Context, session string, asks []run.Ask) ([]run.Grant, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	now := time.Now()
	grants := make([]run.Grant, len(asks))
	for i := range asks {
		a := &asks[i]
		p := s.paces[a.Model]
		if p == nil {
			p = &run.Paces{}
			s.paces[a.Model] = p
		}
		var others []run.Seat
		for _, seat := range s.seats[a.Model] {
			if seat.Session != session && seat.Until.After(now) {
				others = append(others, seat)
			}
		}
		var own run.Seat
		grants[i], own = a.Grant(p, session, others, now)
		s.seats[a.Model] = append(others, own)
	}
	return grants, nil
}
