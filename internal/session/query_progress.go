package session

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"ssql/exec"
	"ssql/internal/duck"
)

// progressLog writes the progress of batches to ssql.progress. Writing a row per
// batch would cost about as much as a batch, so rows are gathered and written
// together: when a query ends or is asked about, and at the latest after a few
// seconds. A crash loses the newest rows of progress; ssql.commits, which counts, is
// written with each batch.
type progressLog struct {
	session *Session
	mu      sync.Mutex
	rows    []*exec.Progress
	timer   *time.Timer
	writing sync.Mutex // one flush at a time, in order
}

// progressDelay is how long a row of progress may wait, and progressPendingMax how
// many may.
const (
	progressDelay      = 2 * time.Second
	progressPendingMax = 1000
)

func newProgressLog(s *Session) *progressLog { return &progressLog{session: s} }

// add takes the progress of one batch. It never waits for the database.
func (l *progressLog) add(p *exec.Progress) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rows = append(l.rows, p)
	if len(l.rows) > progressPendingMax {
		// Only the newest are kept in the table either.
		l.rows = l.rows[len(l.rows)-progressPendingMax:]
	}
	if l.timer == nil {
		l.timer = time.AfterFunc(progressDelay, func() {
			if err := l.flush(context.Background()); err != nil {
				l.session.cfg.Notify(fmt.Sprintf("progress could not be stored: %v", err))
			}
		})
	}
}

// flush writes what is gathered and cuts what is too old.
func (l *progressLog) flush(ctx context.Context) error {
	l.writing.Lock()
	defer l.writing.Unlock()
	l.mu.Lock()
	rows := l.rows
	l.rows = nil
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
	keep := l.keepRows()
	l.mu.Unlock()
	if len(rows) == 0 {
		return nil
	}
	return l.session.store.InTransaction(ctx, func(c *duck.Conn) error {
		newest := map[string]int64{}
		for chunk := range slices.Chunk(rows, progressChunk) {
			if err := insertProgress(ctx, c, chunk); err != nil {
				return err
			}
			for _, p := range chunk {
				newest[p.ID] = p.BatchID
			}
		}
		for id, batch := range newest {
			if _, err := c.Exec(ctx, `DELETE FROM ssql.progress WHERE query_id = ? AND batch <= ?`, id, batch-keep); err != nil {
				return err
			}
		}
		return nil
	})
}

// progressChunk is how many rows one statement writes: a statement costs half a
// millisecond, whatever it writes.
const progressChunk = 100

func insertProgress(ctx context.Context, c *duck.Conn, rows []*exec.Progress) error {
	values := strings.TrimSuffix(strings.Repeat("(?, ?, ?, ?, ?::TIMESTAMP, ?), ", len(rows)), ", ")
	var args []any
	for _, p := range rows {
		args = append(args, p.Name, p.ID, p.RunID, p.BatchID, p.Timestamp, p.JSON())
	}
	_, err := c.Exec(ctx, "INSERT INTO ssql.progress (query, query_id, run_id, batch, batch_time, progress) VALUES "+values, args...)
	return err
}

// keepRows returns how many rows of a query are kept.
func (l *progressLog) keepRows() int64 {
	l.session.mu.Lock()
	defer l.session.mu.Unlock()
	return l.session.settings.Integer("progress_rows")
}
