package driver

import (
	"context"
	"errors"
	"fmt"

	"hallmark/internal/assay"
	"hallmark/internal/base/exit"
	"hallmark/internal/commands/spec"
)

// A Study makes the runs of a plan with suites:, one after the other.
type Study struct {
	*Bench
	Made func(*spec.Run, *Outcome) error // reports a run, and says by its error how it ended
	Say  func(format string, args ...any)
}

// Do checks all entries before the first is asked, and makes their runs. A run that finished is followed by the next,
// whatever came of it: outcome is the first of the gravest, a failed gate before answers that are missing. Another
// error ends the study; the runs that stand in the store are then resumed by the same command. It returns the runs
// side by side, and none where they are detached. A model that several of them ask is built once.
func (s *Study) Do(ctx context.Context, f *spec.Run) (all *assay.Several, outcome, err error) {
	defer s.Models.Keep()()
	ids, err := s.check(ctx, f)
	if err != nil {
		return nil, nil, err
	}
	var gravest int
	for i, part := range f.Study {
		part.Part.Runs = ids
		s.Say("suite %d of %d: %s", i+1, len(f.Study), part.Suites[0])
		out, err := s.Run(ctx, part)
		if err == nil {
			err = s.Made(part, out)
		}
		var e *exit.Error
		switch {
		case err == nil:
		case errors.As(err, &e) && (e.Code == exit.Unscored || e.Code == exit.Gate):
			if e.Err != nil {
				s.Say("suite %d of %d: %v", i+1, len(f.Study), e.Err)
			}
			if e.Code > gravest {
				gravest, outcome = e.Code, err
			}
		default:
			return nil, nil, err
		}
	}
	if f.Detach {
		return nil, nil, nil
	}
	results, err := s.Runs.Alike(ctx, ids...)
	if err != nil {
		return nil, nil, err
	}
	all, err = assay.NewSeveral(results)
	return all, outcome, err
}

// check reads what the runs read, and asks nothing. It returns their ids.
func (s *Study) check(ctx context.Context, f *spec.Run) (ids []string, err error) {
	lines := map[string]string{}
	for _, part := range f.Study {
		x := *part // which resolving fills in
		id, err := s.idOf(ctx, &x)
		var e *exit.Error
		switch {
		case errors.As(err, &e) && e.Err != nil:
			return nil, exit.With(e.Code, fmt.Errorf("%w; it is the entry of %s", e.Err, part.Part.Place))
		case err != nil:
			return nil, err
		case lines[id] != "":
			return nil, exit.Usagef("%s: the entry comes to the same run as that of %s; leave one of them out",
				part.Part.Place, lines[id])
		}
		lines[id], ids = part.Part.Place, append(ids, id)
	}
	return ids, nil
}

// idOf resolves an entry and returns the id of its run.
func (s *Study) idOf(ctx context.Context, part *spec.Run) (string, error) {
	var r resolved
	defer r.Close()
	if err := s.resolve(ctx, part, s.openOrNone, &r); err != nil {
		return "", err
	}
	return r.plan.ID(), nil
}

// A StudyForecast is what `hallmark plan run` prints of a plan with suites:.
type StudyForecast struct {
	Suites []SuiteForecast `json:"suites"`
	// Total sums them. Calls that two of them have in common are asked once and counted for each.
	Total assay.Share `json:"total"`
	USD   *Cost       `json:"usd,omitempty"`
}

// A SuiteForecast is the forecast of one run of a study.
type SuiteForecast struct {
	Suite string `json:"suite"` // as the plan names it
	*Forecast
}

// forecastStudy forecasts each run of a study.
func (b *Bench) forecastStudy(ctx context.Context, f *spec.Run) (*StudyForecast, error) {
	out := &StudyForecast{}
	for _, part := range f.Study {
		one, err := b.forecast(ctx, part)
		if err != nil {
			return nil, err
		}
		out.Suites = append(out.Suites, SuiteForecast{part.Suites[0], one})
		out.Total = out.Total.Plus(one.Total)
		if one.USD != nil {
			if out.USD == nil {
				out.USD = &Cost{}
			}
			out.USD.Least, out.USD.Most = out.USD.Least+one.USD.Least, out.USD.Most+one.USD.Most
		}
	}
	return out, nil
}
