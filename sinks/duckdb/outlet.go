package duckdb

import (
	"context"
	"fmt"

	"ssql/sinks"
)

// outlet is where the rows of one output go: into a table, or elsewhere, as to files.
// Of what goes elsewhere everything but the rows comes into the database: late rows, bad
// rows and the row of ssql.commits.
type outlet struct {
	target *target    // nil: elsewhere
	rows   sinks.Sink // nil: a table
	// If DuckDB can read what is elsewhere, a view shows it: its name, and its SELECT as it
	// is now.
	view, shown string
}

// Head returns the oldest of the markers, none if one place has none: a batch that only
// some of the places have is written again, and those that have it skip it.
func (s *Sink) Head(ctx context.Context, queryID string) (oldest sinks.Marker, ok bool, err error) {
	if oldest, ok, err = s.headHere(ctx, queryID); err != nil || !ok {
		return sinks.Marker{}, false, err
	}
	for i := range s.outlets {
		if s.outlets[i].rows == nil {
			continue
		}
		m, ok, err := s.outlets[i].rows.Head(ctx, queryID)
		if err != nil || !ok {
			return sinks.Marker{}, false, err
		}
		if m.Batch < oldest.Batch {
			oldest = m
		}
	}
	return oldest, true, nil
}

// Holds implements sinks.Spread.
func (s *Sink) Holds(ctx context.Context, queryID string, batch int64) (bool, error) {
	m, ok, err := s.headHere(ctx, queryID)
	for i := range s.outlets {
		if err != nil || ok && m.Batch >= batch {
			break
		}
		if s.outlets[i].rows != nil {
			m, ok, err = s.outlets[i].rows.Head(ctx, queryID)
		}
	}
	return err == nil && ok && m.Batch >= batch, err
}

// Write stores a batch. What goes elsewhere comes first: the rows that ssql.commits counts
// are there. E_FENCED refuses a batch that is not newer than the head, or comes from an
// older run; E_SINK_BEHIND_CKPT says that markers which this sink has seen are gone;
// E_SINK_SCHEMA that a table has changed or cannot take the rows. After an error of the
// database nothing of the batch is stored in any of its tables.
func (s *Sink) Write(ctx context.Context, b *sinks.Batch) error {
	stored, here, err := s.stored(ctx, b)
	if err != nil {
		return err
	}
	for i := range s.outlets {
		if rows := s.outlets[i].rows; rows != nil && !stored[i] {
			if err := rows.Write(ctx, b.Of(i)); err != nil {
				return err
			}
		}
	}
	if !here {
		if err := s.writeHere(ctx, b); err != nil {
			return err
		}
	}
	s.compared = true
	return s.show(ctx)
}

// stored finds out which places have a batch, and whether the database has it. Only the
// first batch of a run may be somewhere, from the run before. What all of them have counts
// as missing, so that it is refused as a batch that comes twice.
func (s *Sink) stored(ctx context.Context, b *sinks.Batch) (places []bool, here bool, err error) {
	places = make([]bool, len(s.outlets))
	if s.compared || !s.elsewhere() {
		return places, false, nil
	}
	m, ok, err := s.headHere(ctx, b.QueryID)
	if err == nil {
		here, err = hasBatch(m, ok, b)
	}
	all := here
	for i := range s.outlets {
		if s.outlets[i].rows == nil || err != nil {
			continue
		}
		if m, ok, err = s.outlets[i].rows.Head(ctx, b.QueryID); err == nil {
			places[i], err = hasBatch(m, ok, b)
		}
		all = all && places[i]
	}
	return places, here && !all, err
}

// elsewhere reports whether some rows go to another place than the database.
func (s *Sink) elsewhere() bool {
	for i := range s.outlets {
		if s.outlets[i].rows != nil {
			return true
		}
	}
	return false
}

// hasBatch reports whether a head is that of a batch, as it would be written now.
func hasBatch(head sinks.Marker, ok bool, b *sinks.Batch) (bool, error) {
	if !ok || head.Batch != b.Batch {
		return false, nil
	}
	if head.Digest != b.Digest {
		return false, mismatch(b)
	}
	return true, nil
}

// show makes the views, or makes those again that read something else now.
func (s *Sink) show(ctx context.Context) error {
	for i := range s.outlets {
		p := &s.outlets[i]
		readable, ok := p.rows.(sinks.Readable)
		if !ok {
			continue
		}
		text := readable.Select()
		if text == p.shown {
			continue
		}
		c, release, err := s.db.Conn(ctx)
		if err != nil {
			return fmt.Errorf("making view %s: %w", p.view, err)
		}
		_, err = c.Exec(ctx, "CREATE OR REPLACE VIEW "+p.view+" AS "+text)
		release()
		if err != nil {
			return fmt.Errorf("making view %s: %w", p.view, err)
		}
		p.shown = text
	}
	return nil
}
