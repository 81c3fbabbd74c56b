package oracle

import (
	"fmt"
	"strings"

	"ssql/sql/types"
)

// WindowKind is the kind of a window.
type WindowKind int

// The window kinds.
const (
	Tumble WindowKind = iota
	Hop
	Cumulate
	Session
)

// Window is a window over the event time.
type Window struct {
	Kind WindowKind
	// Micros; Slide is the step of CUMULATE, and equal to Size for TUMBLE. The Size of
	// SESSION is its gap.
	Size, Slide, Offset int64
	// Wide is another gap, of the rows for which WideIf is true; nil for none.
	Wide   int64
	WideIf Expr
	// Spark spells it window(ts, …), with columns window.start and window.end.
	Spark bool
}

func seconds(micros int64) string { return fmt.Sprintf("INTERVAL '%d' SECOND", micros/1e6) }

// table writes the table function over a relation. A session has the keys of the grouping.
func (w *Window) table(r Rel, time string, keys []Column) string {
	args := []string{operand(r), time}
	name := [...]string{"TUMBLE", "HOP", "CUMULATE", "SESSION"}[w.Kind]
	if w.Kind == Hop || w.Kind == Cumulate {
		args = append(args, seconds(w.Slide))
	}
	args = append(args, seconds(w.Size))
	if w.Offset != 0 {
		args = append(args, seconds(w.Offset))
	}
	if w.Kind == Session {
		args = append(args, "PARTITION BY "+names(keys))
	}
	return name + "(" + strings.Join(args, ", ") + ")"
}

// call writes Spark's function, and the name of the struct that it makes.
func (w *Window) call(time string) (text, made string) {
	if w.Kind == Session {
		gap := fmt.Sprintf("'%d seconds'", w.Size/1e6)
		if w.WideIf != nil {
			gap = fmt.Sprintf("CASE WHEN %s THEN '%d seconds' ELSE %s END", w.WideIf.SQL(), w.Wide/1e6, gap)
		}
		return fmt.Sprintf("session_window(%s, %s)", time, gap), "session_window"
	}
	text = fmt.Sprintf("window(%s, '%d seconds'", time, w.Size/1e6)
	if w.Kind == Hop || w.Offset != 0 {
		text += fmt.Sprintf(", '%d seconds'", w.Slide/1e6)
	}
	if w.Offset != 0 {
		text += fmt.Sprintf(", '%d seconds'", w.Offset/1e6)
	}
	return text + ")", "window"
}

// duckFrom writes, for DuckDB, the rows of a relation for which a condition is true, each
// once per window, with the columns window_start and window_end. Sessions are of keys.
func (w *Window) duckFrom(r Rel, time string, keys []Column, cond Expr) string {
	where := ""
	if cond != nil {
		where = " WHERE " + cond.SQL()
	}
	if w.Kind == Session {
		return w.duckSessions(r.From(duck)+where, time, keys)
	}
	period, count := w.Slide, (w.Size+w.Slide-1)/w.Slide
	if w.Kind == Cumulate {
		period = w.Size
	}
	first := fmt.Sprintf("epoch_us(%s) - ((epoch_us(%s) - %d) %% %d + %d) %% %d", time, time, w.Offset, period, period, period)
	start, end := fmt.Sprintf("%s - i * %d", first, w.Slide), fmt.Sprintf("b + %d", w.Size)
	if w.Kind == Cumulate {
		start, end = first, fmt.Sprintf("b + (i + 1) * %d", w.Slide)
	}
	return fmt.Sprintf("(SELECT *, make_timestamp(b) AS window_start, make_timestamp(%s) AS window_end FROM "+
		"(SELECT *, %s AS b FROM (SELECT * FROM %s%s), range(%d) AS n(i)) WHERE epoch_us(%s) < %s) AS x",
		end, start, r.From(duck), where, count, time, end)
}

// duckSessions finds sessions as islands: a row begins one if it comes after the ends of
// all rows before it. Rows of one time are put in one order, for both passes.
func (w *Window) duckSessions(from, time string, keys []Column) string {
	gap := fmt.Sprint(w.Size)
	if w.WideIf != nil {
		gap = fmt.Sprintf("CASE WHEN %s THEN %d ELSE %d END", w.WideIf.SQL(), w.Wide, w.Size)
	}
	over := fmt.Sprintf("(PARTITION BY %s ORDER BY place ROWS BETWEEN UNBOUNDED PRECEDING AND", names(keys))
	rows := fmt.Sprintf("SELECT *, epoch_us(%s) AS b, epoch_us(%s) + %s AS e FROM %s", time, time, gap, from)
	placed := fmt.Sprintf("SELECT *, row_number() OVER (ORDER BY b, seq) AS place FROM (%s) WHERE b < e", rows)
	begins := fmt.Sprintf("SELECT *, CASE WHEN b <= max(e) OVER %s 1 PRECEDING) THEN 0 ELSE 1 END AS begins FROM (%s)", over, placed)
	numbered := fmt.Sprintf("SELECT *, sum(begins) OVER %s CURRENT ROW) AS island FROM (%s)", over, begins)
	of := fmt.Sprintf("OVER (PARTITION BY %s, island)", names(keys))
	return fmt.Sprintf("(SELECT *, make_timestamp(min(b) %s) AS window_start, make_timestamp(max(e) %s) AS window_end FROM (%s)) AS x", of, of, numbered)
}

// windowColumns are the columns that a window adds.
func windowColumns() []Column {
	return []Column{
		{Name: "window_start", Type: types.Of(types.Timestamp), Domain: &eventTime, Shifts: true},
		{Name: "window_end", Type: types.Of(types.Timestamp), Domain: &eventTime, Shifts: true},
	}
}
