package exec

import (
	"fmt"

	"github.com/apache/arrow/go/v17/arrow"

	"ssql/exec/op"
)

// inlet is where the segments of a scan go.
type inlet interface {
	segment() op.Segment
	// merge is called for the segments in their order, from one goroutine.
	merge(s op.Segment) error
}

// oneInput is input i of a breaker.
type oneInput struct {
	r *batchRun
	b *breaker
	i int
}

func (o *oneInput) segment() op.Segment      { return o.b.op.Segment(o.i) }
func (o *oneInput) merge(s op.Segment) error { return o.r.merge(o.b, s) }

// bothInputs is both inputs of a breaker that take the same rows. Segments of the second
// wait, for a breaker gets all of the first before.
type bothInputs struct {
	r       *batchRun
	b       *breaker
	waiting []op.Segment
}

// pair takes each chunk twice.
type pair [2]op.Segment

// Consume implements op.Segment.
func (p *pair) Consume(rec arrow.Record) error {
	if err := p[0].Consume(rec); err != nil {
		return err
	}
	return p[1].Consume(rec)
}

func (t *bothInputs) segment() op.Segment { return &pair{t.b.op.Segment(0), t.b.op.Segment(1)} }

func (t *bothInputs) merge(s op.Segment) error {
	p := s.(*pair)
	t.waiting = append(t.waiting, p[1])
	return t.r.merge(t.b, p[0])
}

// feedAll drives the rows of all inputs into a breaker.
func (r *batchRun) feedAll(b *breaker) error {
	if b.sameRows {
		return r.feedTwice(b)
	}
	for i, in := range b.ins {
		if err := r.feed(in, nil, b, i); err != nil {
			return err
		}
	}
	return nil
}

// feedTwice reads the first input and gives its rows to both.
func (r *batchRun) feedTwice(b *breaker) error {
	var stages []op.Stage
	in := b.ins[0]
	for {
		p, ok := in.(*pipe)
		if !ok {
			break
		}
		stages = append(append([]op.Stage(nil), p.stages...), stages...)
		in = p.in
	}
	s, ok := in.(*scan)
	if !ok {
		return fmt.Errorf("the inputs of a join are said to be the same rows, but come from a %T", in)
	}
	both := &bothInputs{r: r, b: b}
	if err := r.scanInto(s.source, stages, both); err != nil {
		return err
	}
	for _, second := range both.waiting {
		if err := r.merge(b, second); err != nil {
			return err
		}
	}
	return nil
}
