package shell

import (
	"fmt"
	"strings"
	"time"

	"ssql/internal/session"
	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

var _ session.Follower = (*printer)(nil)

// The footer appears when a SELECT takes longer than a moment, and is drawn at most so
// often: what is gone before it can be read only flickers.
const (
	footerAfter = 400 * time.Millisecond
	footerEvery = 100 * time.Millisecond
)

// clearLine takes the line of the footer away.
const clearLine = "\r\x1b[K"

// footer is the line below a SELECT that still runs, on a terminal.
type footer struct {
	started, drawn time.Time
	shown          bool
	rows, late     int64
	bad            int64
}

// Batch implements session.Follower: it draws the footer anew, where tables are printed
// when they are complete and the terminal would be silent until then.
func (p *printer) Batch(b session.BatchInfo) {
	s := p.shell
	f := &p.footer
	f.rows += b.RowsRead
	f.late += b.RowsLate
	f.bad += b.RowsBad
	now := time.Now()
	if !s.showsFooter() || now.Sub(f.started) < footerAfter || now.Sub(f.drawn) < footerEvery {
		return
	}
	s.writeLock.Lock()
	defer s.writeLock.Unlock()
	line := f.line(b)
	if width := s.cfg.Width(); width > 0 && len(line) >= width {
		line = line[:width-1]
	}
	fmt.Fprint(s.stderr(), clearLine+line)
	f.drawn, f.shown = now, true
}

// showsFooter reports whether a footer would not get in the way of what is printed.
func (s *Shell) showsFooter() bool {
	if !s.cfg.Terminal || s.redirected != nil {
		return false
	}
	return s.whenComplete()
}

// whenComplete reports whether the output mode prints a table when all rows are there.
func (s *Shell) whenComplete() bool {
	switch s.mode.Name {
	case "duckbox", "box", "column", "markdown":
		return true
	}
	return false
}

// line is the footer as ASCII, whose bytes are its width.
func (f *footer) line(b session.BatchInfo) string {
	parts := []string{fmt.Sprintf("batch %d", b.Batch), sqlerr.CountOf(int(f.rows), "row") + " read",
		fmt.Sprintf("%.0f rows/s", b.RowsPerSecond)}
	if b.HasWatermark {
		parts = append(parts, "watermark "+types.FormatTimestamp(b.WatermarkMicros))
	}
	parts = append(parts, fmt.Sprintf("open %d", b.Open), fmt.Sprintf("late %d", f.late), fmt.Sprintf("bad %d", f.bad))
	return strings.Join(parts, " | ")
}

// hideFooter takes the footer away before something else is printed. The caller holds the
// lock of the writers.
func (p *printer) hideFooter() {
	if p.footer.shown {
		fmt.Fprint(p.shell.stderr(), clearLine)
		p.footer.shown = false
	}
}
