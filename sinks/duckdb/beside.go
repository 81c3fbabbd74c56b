package duckdb

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ssql/internal/duck"
	"ssql/internal/sqlerr"
	"ssql/sinks"
)

// Beside returns a connector whose rows go elsewhere, and everything else about its
// batches into the database: late rows, bad rows and the row of ssql.commits. Each of
// the two stores a batch once; the older head is that of both, so a batch that only one
// of them has is written again and the other skips it. The rows come first: what
// ssql.commits counts is there.
//
// A result that DuckDB can read is a view of the name of the sink.
func Beside(db *duck.DB, spec sinks.Spec) sinks.Spec {
	open := spec.Open
	spec.Open = func(o sinks.OpenContext) (sinks.Sink, error) {
		rows, err := open(o)
		if err != nil {
			return nil, err
		}
		b := &beside{rows: rows, ledger: &Sink{db: db, o: o, opts: Options{Now: time.Now}}, name: o.Target}
		if err := b.show(context.Background()); err != nil {
			return nil, errors.Join(err, rows.Close())
		}
		return b, nil
	}
	return spec
}

// beside is a sink of rows and a Sink without a table.
type beside struct {
	rows   sinks.Sink
	ledger *Sink
	name   string // of the view
	view   string // its SELECT, as it is now
	// compared says that the heads of the two are known to be those of the last batch.
	compared bool
}

// Transactional reports true: both are.
func (b *beside) Transactional() bool { return true }

// Head returns the older of the two markers, none if one of the two has none.
func (b *beside) Head(ctx context.Context, queryID string) (sinks.Marker, bool, error) {
	rows, ok, err := b.rows.Head(ctx, queryID)
	if err != nil || !ok {
		return sinks.Marker{}, false, err
	}
	ledger, ok, err := b.ledger.Head(ctx, queryID)
	if err != nil || !ok {
		return sinks.Marker{}, false, err
	}
	if ledger.Batch < rows.Batch {
		return ledger, true, nil
	}
	return rows, true, nil
}

// Write stores a batch in the two places. The first batch of a run may be in one of them
// from the run before.
func (b *beside) Write(ctx context.Context, batch *sinks.Batch) error {
	var inRows, inLedger bool
	if !b.compared {
		var err error
		if inRows, err = hasBatch(ctx, b.rows, batch); err != nil {
			return err
		}
		if inLedger, err = hasBatch(ctx, b.ledger, batch); err != nil {
			return err
		}
	}
	// What both have is refused by the first, as a batch that comes twice.
	if !inRows || inLedger {
		if err := b.rows.Write(ctx, batch); err != nil {
			return err
		}
	}
	if !inLedger {
		if err := b.ledger.Write(ctx, batch); err != nil {
			return err
		}
	}
	b.compared = true
	return b.show(ctx)
}

// hasBatch reports whether a sink has a batch already, as it would be written now.
func hasBatch(ctx context.Context, s sinks.Sink, batch *sinks.Batch) (bool, error) {
	head, ok, err := s.Head(ctx, batch.QueryID)
	if err != nil || !ok || head.Batch != batch.Batch {
		return false, err
	}
	if head.Digest != batch.Digest {
		return false, sqlerr.New("E_REPLAY_MISMATCH", "batch %d of query %q is stored with another plan than it has now", batch.Batch, batch.Query).
			WithDetail("The result and the database were written by different runs.").
			WithHint("put back the checkpoint, the database and the result that belong together")
	}
	return true, nil
}

// show makes the view, or makes it again when it reads something else.
func (b *beside) show(ctx context.Context) error {
	readable, ok := b.rows.(sinks.Readable)
	if !ok {
		return nil
	}
	text := readable.Select()
	if text == b.view {
		return nil
	}
	c, release, err := b.ledger.db.Conn(ctx)
	if err != nil {
		return fmt.Errorf("making view %s: %w", b.name, err)
	}
	defer release()
	if _, err := c.Exec(ctx, "CREATE OR REPLACE VIEW "+b.name+" AS "+text); err != nil {
		return fmt.Errorf("making view %s: %w", b.name, err)
	}
	b.view = text
	return nil
}

// Close closes the sink of the rows.
func (b *beside) Close() error { return errors.Join(b.rows.Close(), b.ledger.Close()) }
