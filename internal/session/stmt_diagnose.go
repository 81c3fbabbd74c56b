package session

import (
	"context"
	"fmt"
	"time"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
	"ssql/sql/types"
)

// diagnose is DIAGNOSE QUERY q: why is there no output? It looks in the order in which
// rows travel, shows what it found, and ends with one verdict and what to do.
func (s *Session) diagnose(ctx context.Context, st *sql.Diagnose, _ *Request, out Output) error {
	rows, err := s.queries(ctx)
	if err != nil {
		return err
	}
	row, err := findQuery(rows, st.Name)
	if err != nil {
		return err
	}
	x, err := s.examine(ctx, row)
	if err != nil {
		return err
	}
	t := newTextTable("check", "found")
	verdict := ""
	for _, c := range diagnosisChecks {
		found, reason := c.look(x)
		if found == "" && reason == "" {
			continue // does not concern this query
		}
		t.add(c.name, found)
		if verdict == "" {
			verdict = reason
		}
	}
	if err := t.send(out); err != nil {
		return err
	}
	if verdict == "" {
		verdict = "nothing stands in the way: the next rows that are not filtered come out"
	}
	out.Message("verdict: " + verdict)
	return nil
}

// examination is what is known about a query when it is diagnosed.
type examination struct {
	row      *queryRow
	plan     *plan.Plan
	bindErr  error
	running  bool
	failure  string // code and text of the newest error; "" without
	lastBad  string // reason of the newest bad row
	batches  int64
	life     totals // over all runs
	progress *storedProgress
	ending   *ending // of the newest run, if it was in this session
	now      time.Time
}

// ending is what a run left behind.
type ending struct {
	open       int64
	held       string // what is open: windows, groups or rows
	nextMicros int64  // the watermark at which the next of them comes out
	waits      bool   // something waits for the watermark
}

// forgetEnding forgets what the newest run of a query left behind.
func (s *Session) forgetEnding(query string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.endings, sql.Canonical(query))
}

// examine gathers what DIAGNOSE needs.
func (s *Session) examine(ctx context.Context, row *queryRow) (*examination, error) {
	if err := s.progress.flush(ctx); err != nil {
		return nil, err
	}
	x := &examination{row: row, now: s.now()}
	d, err := storedDefinition(row)
	if err != nil {
		return nil, err
	}
	cat, err := s.relations(ctx)
	if err != nil {
		return nil, err
	}
	if b, err := s.bind(d, cat); err != nil {
		x.bindErr = err
	} else {
		x.plan = b.plan
	}
	x.running = s.jobOf(row.name) != nil
	s.mu.Lock()
	x.ending = s.endings[sql.Canonical(row.name)]
	s.mu.Unlock()
	err = s.withConn(ctx, func(c *duck.Conn) error { return x.read(ctx, c) })
	return x, err
}

// read fills in what the tables of ssql say.
func (x *examination) read(ctx context.Context, c *duck.Conn) error {
	err := c.Query(ctx, `SELECT count(*), coalesce(sum(rows_in), 0)::BIGINT, coalesce(sum(rows_out), 0)::BIGINT, coalesce(sum(rows_late), 0)::BIGINT,
		coalesce(sum(rows_bad), 0)::BIGINT, coalesce(sum(rows_filtered), 0)::BIGINT FROM ssql.commits WHERE query_id = ?`, []any{x.row.id}, func(row []any) error {
		for i, to := range []*int64{&x.batches, &x.life.rowsRead, &x.life.rowsOut, &x.life.rowsLate, &x.life.rowsBad, &x.life.rowsFiltered} {
			*to, _ = row[i].(int64)
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = c.Query(ctx, `SELECT code, message FROM ssql.errors WHERE lower(query) = lower(?) ORDER BY occurred_at DESC LIMIT 1`, []any{x.row.name}, func(row []any) error {
		x.failure = text(row[1])
		return nil
	})
	if err != nil {
		return err
	}
	err = c.Query(ctx, `SELECT reason, "column", file FROM ssql.bad_rows WHERE lower(query) = lower(?) ORDER BY batch DESC LIMIT 1`, []any{x.row.name}, func(row []any) error {
		x.lastBad = text(row[0])
		if column := text(row[1]); column != "" {
			x.lastBad = fmt.Sprintf("column %q: %s", column, x.lastBad)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.Query(ctx, `SELECT progress::VARCHAR FROM ssql.progress WHERE query_id = ? ORDER BY batch DESC LIMIT 1`, []any{x.row.id}, func(row []any) error {
		x.progress, err = readProgress(text(row[0]))
		return err
	})
}

// watermark returns the watermark of the newest batch; ok is false before it has moved.
func (x *examination) watermark() (micros int64, ok bool) {
	if x.progress == nil {
		return 0, false
	}
	at, err := time.Parse(progressTime, x.progress.EventTime["watermark"])
	if err != nil || at.UnixMicro() == 0 { // 1970 is where it starts
		return 0, false
	}
	return at.UnixMicro(), true
}

// open returns how many groups or rows are held, and what they are.
func (x *examination) open() (int64, string) {
	n := int64(0)
	if x.ending != nil && !x.running && x.ending.open > 0 {
		return x.ending.open, x.ending.held
	}
	if x.progress != nil {
		for _, o := range x.progress.StateOperators {
			n += o.NumRowsTotal
		}
	}
	held := "group"
	if x.plan != nil {
		held = heldNoun(x.plan)
	}
	return n, held
}

// placeText is an error on one line.
func placeText(err error) string {
	if e, ok := err.(*sqlerr.Error); ok {
		return e.Text
	}
	return err.Error()
}

// timeText shows a time as results do.
func timeText(micros int64) string { return types.FormatTimestamp(micros) }
