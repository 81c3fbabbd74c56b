package op

import (
	"fmt"
	"math"
)

// panes cuts time into what all windows are made of, so that a row is
// added to one pane whatever the number of windows it falls in. The edges of the
// panes are the starts and the ends of windows and nothing else ("paired windows",
// Krishnamurthy et al. 2006): one pane per slide if the slide divides the size, else two.
//
// Panes and windows have numbers. Window k begins with pane k·perSlide and has
// perWindow of them; with cumulate, windows k·perWindow to (k+1)·perWindow-1 begin with
// the same pane and have 1, 2, … of them.
type panes struct {
	Windows
	rest      int64 // size modulo slide: where the second pane of a slide begins
	perSlide  int64
	perWindow int64
}

func newPanes(w Windows) (panes, error) {
	p := panes{Windows: w, perSlide: 1}
	if w.SlideMicros <= 0 || w.SizeMicros < w.SlideMicros {
		return p, fmt.Errorf("windows of %d µs every %d µs: the slide must be positive and at most the size", w.SizeMicros, w.SlideMicros)
	}
	p.rest = w.SizeMicros % w.SlideMicros
	p.perWindow = w.SizeMicros / w.SlideMicros
	if p.rest != 0 {
		if w.Cumulate {
			return p, fmt.Errorf("cumulating windows of %d µs: the step of %d µs must divide the size", w.SizeMicros, w.SlideMicros)
		}
		p.perSlide, p.perWindow = 2, 2*p.perWindow+1
	}
	return p, nil
}

// single reports whether every pane is a window.
func (p *panes) single() bool { return p.perWindow == 1 }

// bounds returns the pane that t lies in.
func (p *panes) bounds(t int64) (start, end int64) {
	start = floorTo(t, p.SlideMicros, p.OffsetMicros)
	if p.rest == 0 {
		return start, start + p.SlideMicros
	}
	if t < start+p.rest {
		return start, start + p.rest
	}
	return start + p.rest, start + p.SlideMicros
}

// number returns the number of the pane that begins at start.
func (p *panes) number(start int64) int64 {
	slide := floorTo(start, p.SlideMicros, p.OffsetMicros)
	n := (slide - p.OffsetMicros) / p.SlideMicros * p.perSlide
	if slide != start {
		n++
	}
	return n
}

// start returns where a pane begins.
func (p *panes) start(number int64) int64 {
	slide := floorDivide(number, p.perSlide)
	at := slide*p.SlideMicros + p.OffsetMicros
	if number != slide*p.perSlide {
		at += p.rest
	}
	return at
}

// windows returns the first and the last window that a pane belongs to.
func (p *panes) windows(number int64) (first, last int64) {
	if p.Cumulate {
		block := floorDivide(number, p.perWindow)
		return number, block*p.perWindow + p.perWindow - 1
	}
	return floorDivide(number-p.perWindow, p.perSlide) + 1, floorDivide(number, p.perSlide)
}

// panesOf returns the first and the last pane of a window.
func (p *panes) panesOf(window int64) (first, last int64) {
	if p.Cumulate {
		return floorDivide(window, p.perWindow) * p.perWindow, window
	}
	first = window * p.perSlide
	return first, first + p.perWindow - 1
}

// span returns start and end of a window.
func (p *panes) span(window int64) (start, end int64) {
	first, last := p.panesOf(window)
	if p.Cumulate {
		return p.start(first), p.start(last + 1)
	}
	start = p.start(first)
	return start, start + p.SizeMicros
}

// end returns the end of a window.
func (p *panes) end(window int64) int64 {
	_, end := p.span(window)
	return end
}

// through returns the last window whose end is at most t.
func (p *panes) through(t int64) int64 {
	if p.Cumulate {
		return floorDivide(saturatingSub(t, p.OffsetMicros), p.SlideMicros) - 1
	}
	return floorDivide(saturatingSub(saturatingSub(t, p.SizeMicros), p.OffsetMicros), p.SlideMicros)
}

// lateness returns the ends of the first and the last window that the pane belongs to.
func (p *panes) lateness(start int64) (firstEnd, lastEnd int64) {
	first, last := p.windows(p.number(start))
	return p.end(first), p.end(last)
}

func floorDivide(a, b int64) int64 {
	q := a / b
	if a%b < 0 {
		q--
	}
	return q
}

func saturatingSub(a, b int64) int64 {
	d := a - b
	switch {
	case b > 0 && d > a:
		return math.MinInt64
	case b < 0 && d < a:
		return math.MaxInt64
	}
	return d
}
