package session

import (
	"context"
	"time"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// assertPoll is how often ASSERT ... WITHIN looks again.
const assertPoll = 50 * time.Millisecond

// assert is ASSERT condition [WITHIN d]: an error unless DuckDB finds the condition true,
// within the time if one is given.
func (s *Session) assert(ctx context.Context, st *sql.Assert, _ *Request, _ Output) error {
	return s.until(ctx, st.WithinMicros, func(ctx context.Context) (bool, error) {
		holds, found, err := s.holds(ctx, st)
		if err != nil || holds {
			return holds, err
		}
		return false, assertionFailed(st, found)
	})
}

// until asks until something is true or the time is up; then the newest failed assertion
// is the error. Another error ends it at once.
func (s *Session) until(ctx context.Context, micros int64, ask func(ctx context.Context) (bool, error)) error {
	ctx, giveUp := context.WithCancel(ctx)
	defer giveUp()
	s.waitFor(giveUp, stopsWaiting)
	deadline := time.Now().Add(time.Duration(micros) * time.Microsecond)
	for {
		holds, err := ask(ctx)
		if holds || sqlerr.Code(err) != "ASSERTION_FAILED" || !time.Now().Before(deadline) {
			return err
		}
		select {
		case <-time.After(assertPoll):
		case <-ctx.Done():
			return ErrInterrupted
		}
	}
}

// holds asks DuckDB for the condition, and for the value of the query in it. found says what
// came.
func (s *Session) holds(ctx context.Context, st *sql.Assert) (holds bool, found string, err error) {
	// The condition stands alone on a line of its own, so that a comment in it ends.
	ask := "SELECT (\n" + st.Condition + "\n)::BOOLEAN"
	if st.Actual != "" && st.Actual != st.Condition {
		ask += ", coalesce((\n" + st.Actual + "\n)::VARCHAR, 'NULL')"
	}
	err = s.withConn(ctx, func(c *duck.Conn) error {
		return c.Query(ctx, ask, nil, func(row []any) error {
			holds, _ = row[0].(bool)
			switch {
			case len(row) > 1:
				found = "The query gives " + duck.Text(row[1]) + "."
			case row[0] == nil:
				found = "The condition is NULL."
			default:
				found = "The condition is false."
			}
			return nil
		})
	})
	if err != nil {
		// Its positions are in our text, not in the user's.
		return false, "", duckError(withoutCaret(err), sql.Node{Span: st.ConditionAt, Text: st.Condition})
	}
	return holds, found, nil
}

func assertionFailed(st *sql.Assert, found string) error {
	what := "does not hold"
	if st.WithinMicros > 0 {
		what = "did not hold in time"
	}
	return sqlerr.At(st.ConditionAt, "ASSERTION_FAILED", "assertion %s", what).WithDetail("%s", found)
}
