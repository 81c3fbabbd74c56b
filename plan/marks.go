package plan

import "ssql/sql/types"

// part returns the mark of another part of the same window.
func (m *Mark) part(p Part) *Mark {
	return &Mark{Watermark: m.Watermark, Part: p, Window: m.Window}
}

// isEventTime reports whether a column with this mark is event time in Spark's
// sense: the operator that sees it drops late rows by it. The start and the end of
// a window are ordinary timestamps there (docs/SEMANTICS.md, Windows), though a group keyed
// by them still closes.
func (m *Mark) isEventTime() bool {
	return m != nil && m.Watermark != nil && (m.Part == Instant || m.Part == WindowTime || m.Part == WindowStruct)
}

// closes reports whether the watermark closes a group that has the marked column
// as a key.
func (m *Mark) closes() bool { return m != nil && m.Watermark != nil }

// canWindow reports whether a window over a column with this mark keeps the
// watermark.
func (m *Mark) canWindow() bool { return m.isEventTime() }

// windowMark returns the mark of a window over a time.
func windowMark(time *Mark, spec *WindowSpec, p Part) *Mark {
	m := &Mark{Part: p, Window: spec}
	if time.canWindow() {
		m.Watermark = time.Watermark
	}
	return m
}

// equal reports whether two windows cut time at the same places.
func (w *WindowSpec) equal(o *WindowSpec) bool {
	if w == nil || o == nil {
		return w == o
	}
	if w.Kind != o.Kind || w.SizeMicros != o.SizeMicros || w.SlideMicros != o.SlideMicros || w.OffsetMicros != o.OffsetMicros {
		return false
	}
	if w.Gap == nil || o.Gap == nil {
		return w.Gap == nil && o.Gap == nil
	}
	return exprKey(w.Gap) == exprKey(o.Gap)
}

// windowColumns are what WindowAssign appends, in order.
func windowColumns(mark func(Part) *Mark) []Column {
	ts := types.Of(types.Timestamp)
	column := func(name string, p Part) Column {
		return Column{Field: types.Field{Name: name, Type: ts, Nullable: true}, Mark: mark(p)}
	}
	return []Column{column("window_start", WindowStart), column("window_end", WindowEnd), column("window_time", WindowTime)}
}
