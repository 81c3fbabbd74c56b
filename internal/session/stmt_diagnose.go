package session

import (
	"context"
	"strings"

	"ssql/checkpoint"
	"ssql/internal/catalog"
	"ssql/internal/diagnose"
	"ssql/internal/duck"
	"ssql/internal/settings"
	"ssql/sql"
)

// diagnose is DIAGNOSE QUERY q: why is there no output? It looks in the order in which
// rows travel, shows what it found, and ends with one verdict and what to do.
func (s *Session) diagnose(ctx context.Context, st *sql.Diagnose, _ *Request, out Output) error {
	row, err := s.queryNamed(ctx, st.Name)
	if err != nil {
		return err
	}
	x, err := s.examination(ctx, row)
	if err != nil {
		return err
	}
	findings, because := x.Report()
	t := newTextTable("check", "found")
	for _, f := range findings {
		t.add(f.Check, f.Found)
	}
	if err := t.send(out); err != nil {
		return err
	}
	out.Message("verdict: " + because.Verdict + tries(because.Fixes))
	return nil
}

// examination gathers what the session knows of a query, and lets the rest be looked at.
func (s *Session) examination(ctx context.Context, row *catalog.QueryRow) (x *diagnose.Examination, err error) {
	if err := s.progress.flush(ctx); err != nil {
		return nil, err
	}
	q := diagnose.Query{Row: row, Now: s.now()}
	d, err := catalog.StoredDefinition(row)
	if err != nil {
		return nil, err
	}
	cat, err := s.store.Snapshot(ctx)
	if err != nil {
		return nil, err
	}
	if b, err := s.bind(d, cat); err != nil {
		q.BindErr = err
	} else {
		q.Plan = b.plan
		q.Every = settings.Trigger(b.settings, b.plan.EveryMicros(), false).Interval
	}
	if j := s.jobOf(row.Name); j != nil {
		q.Running, q.Activity = true, j.query.Activity()
	} else if q.Lost = s.lookForCheckpoint(row); q.Lost == nil {
		if q.Held, err = checkpoint.Held(s.cfg.FS, row.Checkpoint); err != nil {
			return nil, err
		}
	}
	q.Targets = d.Targets()
	if q.Tables, _, err = s.store.Targets(ctx, row); err != nil {
		return nil, err
	}
	err = s.withConn(ctx, func(c *duck.Conn) error {
		x, err = diagnose.Examine(ctx, q, cat, c)
		return err
	})
	return x, err
}

// tries lists what the user can do.
func tries(fixes []string) string {
	var lines strings.Builder
	for _, fix := range fixes {
		if fix != "" {
			lines.WriteString("\n    try: " + fix)
		}
	}
	return lines.String()
}
