package plan

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// adviceNames is the advice where only one of two definitions names its sources.
const adviceNames = "a query whose sources are to come and go has IDENTIFIED BY from its beginning on, and keeps it; " + adviceState

// named reports whether the sources have names.
func (f *Print) named() bool { return len(f.Sources) > 0 && f.Sources[0].Name != "" }

// source returns the source that goes on from source i of an older print, nil if there is none.
func (f *Print) source(i int, old PrintSource) *PrintSource {
	if f.named() {
		i = slices.IndexFunc(f.Sources, func(s PrintSource) bool { return s.Name == old.Name })
	}
	if i < 0 || i >= len(f.Sources) {
		return nil
	}
	return &f.Sources[i]
}

// watermark returns the watermark that goes on from watermark i of an older print.
func (f *Print) watermark(i int, old PrintWatermark) *PrintWatermark {
	if f.named() {
		i = slices.IndexFunc(f.Watermarks, func(w PrintWatermark) bool { return w.Name == old.Name })
	}
	if i < 0 || i >= len(f.Watermarks) {
		return nil
	}
	return &f.Watermarks[i]
}

func optionsOrNone(options string) string {
	if options == "" {
		return "without options of its own"
	}
	return "with " + options
}

// sources compares sources that have names: one may come and begins at its start, one may go
// and its offsets with it. What has stayed must be what it was.
func (c *comparer) sources(old, new *Print) {
	names := func(p *Print) string {
		if !p.named() {
			return "their order"
		}
		var out []string
		for _, s := range p.Sources {
			out = append(out, s.Name)
		}
		return strings.Join(out, ", ")
	}
	if !c.named {
		c.differ("", "names of the sources", names(old), names(new), adviceNames)
		return
	}
	stayed := 0
	for i, s := range old.Sources {
		n := new.source(i, s)
		if n == nil {
			c.notes = append(c.notes, fmt.Sprintf("source %q (stream %q) is gone: how far it was read is forgotten; under this name it would be read from its start again", s.Name, s.Stream))
			continue
		}
		stayed++
		c.differ(fmt.Sprintf("source %q", s.Name), "data", s.ID, n.ID, adviceSource)
		c.differ(fmt.Sprintf("source %q", s.Name), "watermarks", old.watermarksOf(s.Name), new.watermarksOf(s.Name), adviceState)
	}
	for _, n := range new.Sources {
		if !slices.ContainsFunc(old.Sources, func(s PrintSource) bool { return s.Name == n.Name }) {
			c.notes = append(c.notes, fmt.Sprintf("source %q (stream %q) is new: it is read from its start", n.Name, n.Stream))
		}
	}
	if stayed == 0 {
		c.differ("", "sources", names(old), names(new), adviceSource)
	}
}

// watermarksOf lists the watermarks right over a source.
func (f *Print) watermarksOf(source string) string {
	var out []string
	for _, w := range f.Watermarks {
		if strings.HasPrefix(w.Name, source+".") {
			out = append(out, w.Column)
		}
	}
	return strings.Join(out, ", ")
}

// unions compares the inputs that unions of both prints have. Where only one of them has a
// union, of the one source that the other reads among others, the columns of the union are
// those of that input.
func (c *comparer) unions(old, new *Print) (*Print, *Print) {
	switch {
	case len(old.Unions) == 1 && len(new.Unions) == 0:
		return old.withoutUnion(new), new
	case len(old.Unions) == 0 && len(new.Unions) == 1:
		return old, new.withoutUnion(old)
	case len(old.Unions) != len(new.Unions):
		c.differ("", "number of UNION ALL", fmt.Sprint(len(old.Unions)), fmt.Sprint(len(new.Unions)), adviceState)
		return old, new
	}
	for i, u := range old.Unions {
		n := new.Unions[i]
		c.differ("", "columns of UNION ALL", strings.Join(u.Columns, ", "), strings.Join(n.Columns, ", "), adviceState)
		for _, arm := range u.Arms {
			at := slices.IndexFunc(n.Arms, func(a PrintArm) bool { return slices.Equal(a.Sources, arm.Sources) })
			if at >= 0 {
				c.differ("input "+strings.Join(arm.Sources, ", "), "columns", strings.Join(arm.Columns, ", "), strings.Join(n.Arms[at].Columns, ", "), adviceState)
			}
		}
	}
	return old, new
}

// withoutUnion returns a print in whose operators the columns of its one union are those of
// the input that the other print reads.
func (f *Print) withoutUnion(other *Print) *Print {
	u := f.Unions[0]
	at := slices.IndexFunc(u.Arms, func(a PrintArm) bool {
		return slices.ContainsFunc(a.Sources, func(name string) bool {
			return slices.ContainsFunc(other.Sources, func(s PrintSource) bool { return s.Name == name })
		})
	})
	if at < 0 {
		return f
	}
	inner := func(text string) string {
		quoted, err := json.Marshal(text)
		if err != nil {
			return text
		}
		return string(quoted[1 : len(quoted)-1])
	}
	var pairs []string
	for i, column := range u.Columns {
		pairs = append(pairs, inner(unionColumn(1, column)), inner(u.Arms[at].Columns[i]))
	}
	out := *f
	text, err := json.Marshal(f.Outputs)
	if err != nil {
		return f
	}
	out.Outputs = nil
	if err := json.Unmarshal([]byte(strings.NewReplacer(pairs...).Replace(string(text))), &out.Outputs); err != nil {
		return f
	}
	return &out
}
