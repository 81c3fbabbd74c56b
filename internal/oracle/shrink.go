package oracle

import (
	"iter"
	"slices"
	"strings"
)

// triesMax bounds how many smaller cases are tried for one failing case.
const triesMax = 600

// shrink returns a smaller case that fails in the same way, and what it says.
func shrink(c *Case, why string, check func(*Case) string) (*Case, string) {
	kind, tries := kindOf(why), 0
	for found := true; found; {
		found = false
		for smaller := range c.smaller() {
			if tries++; tries > triesMax {
				return c, why
			}
			if w := check(smaller); w != "" && kindOf(w) == kind {
				c, why, found = smaller, w, true
				break
			}
		}
	}
	return c, why
}

// kindOf is the part of a report that says what is compared: its first line up to a
// colon, without numbers.
func kindOf(why string) string {
	first, _, _ := strings.Cut(why, "\n")
	first, _, _ = strings.Cut(first, ":")
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, first)
}

// smaller gives cases that are the same but for something left out, the largest parts
// first.
func (c *Case) smaller() iter.Seq[*Case] {
	return func(yield func(*Case) bool) {
		for lo, hi := range parts(len(c.Feeds)) {
			if !yield(c.withFeeds(slices.Delete(slices.Clone(c.Feeds), lo, hi))) {
				return
			}
		}
		for lo, hi := range parts(c.rows()) {
			if !yield(c.withoutRows(lo, hi)) {
				return
			}
		}
		for i, f := range c.Feeds {
			if f.Hold {
				feeds := slices.Clone(c.Feeds)
				feeds[i].Hold = false
				if !yield(c.withFeeds(feeds)) {
					return
				}
			}
		}
		for q := range c.Query.smaller() {
			out := *c
			out.Query = q
			if !yield(&out) {
				return
			}
		}
	}
}

// parts gives the halves of n things, then the quarters, down to each one.
func parts(n int) iter.Seq2[int, int] {
	return func(yield func(int, int) bool) {
		for size := (n + 1) / 2; size > 0; size /= 2 {
			for lo := 0; lo < n; lo += size {
				if !yield(lo, min(lo+size, n)) {
					return
				}
			}
		}
	}
}

// withFeeds returns the case with other feeds; none waits for one that is gone.
func (c *Case) withFeeds(feeds []Feed) *Case {
	out := *c
	out.Feeds = feeds
	if n := len(feeds); n > 0 {
		feeds[n-1].Hold = false
	}
	return &out
}

// withoutRows leaves rows out, counted over all feeds.
func (c *Case) withoutRows(lo, hi int) *Case {
	var feeds []Feed
	n := 0
	for _, f := range c.Feeds {
		left := Feed{Hold: f.Hold, Rows: make([][]Row, len(f.Rows))}
		any := false
		for i, rows := range f.Rows {
			for _, r := range rows {
				if n < lo || n >= hi {
					left.Rows[i] = append(left.Rows[i], r)
					any = true
				}
				n++
			}
		}
		if any {
			feeds = append(feeds, left)
		}
	}
	return c.withFeeds(feeds)
}

// smaller gives queries that are the same but for something left out.
func (q *Query) smaller() iter.Seq[*Query] {
	return func(yield func(*Query) bool) {
		try := func(change func(q *Query)) bool {
			out := *q
			out.Select, out.Keys, out.Calls = slices.Clone(q.Select), slices.Clone(q.Keys), slices.Clone(q.Calls)
			change(&out)
			return yield(&out)
		}
		if q.Cond != nil && !try(func(q *Query) { q.Cond = nil }) {
			return
		}
		if q.Having != nil && !try(func(q *Query) { q.Having = nil }) {
			return
		}
		if q.Limit > 0 && !try(func(q *Query) { q.Limit = 0 }) {
			return
		}
		for r := range smallerRel(q.From) {
			if !try(func(q *Query) { q.From = r }) {
				return
			}
		}
		for i := range q.Keys {
			if !try(func(q *Query) { q.Keys = slices.Delete(q.Keys, i, i+1) }) {
				return
			}
		}
		for i := len(q.Select) - 1; i >= 0 && len(q.Select) > 1; i-- {
			if !try(func(q *Query) { q.Select = slices.Delete(q.Select, i, i+1) }) {
				return
			}
		}
		for i := len(q.Calls) - 1; i >= 0 && len(q.Calls) > 1; i-- {
			if i > 0 && !try(func(q *Query) { q.Calls = slices.Delete(q.Calls, i, i+1) }) {
				return
			}
		}
		for i, c := range q.Calls {
			if c.Filter != nil && !try(func(q *Query) { q.Calls[i].Filter = nil }) {
				return
			}
		}
	}
}

// smallerRel gives relations without a filter or a condition.
func smallerRel(r Rel) iter.Seq[Rel] {
	return func(yield func(Rel) bool) {
		switch r := r.(type) {
		case *Where:
			if !yield(r.In) {
				return
			}
		case *Join:
			for _, drop := range []func(j *Join){
				func(j *Join) { j.Residual = nil }, func(j *Join) { j.Only[0] = nil }, func(j *Join) { j.Only[1] = nil },
			} {
				out := *r
				if drop(&out); (out.Residual == nil) == (r.Residual == nil) && (out.Only[0] == nil) == (r.Only[0] == nil) && (out.Only[1] == nil) == (r.Only[1] == nil) {
					continue
				}
				if !yield(&out) {
					return
				}
			}
		case *Sub:
			if r.Query.Cond != nil {
				q := *r.Query
				q.Cond = nil
				if !yield(&Sub{&q}) {
					return
				}
			}
		}
		ins := r.Inputs()
		for i := range ins {
			for in := range smallerRel(ins[i]) {
				changed := slices.Clone(ins)
				changed[i] = in
				if !yield(r.With(changed, kept)) {
					return
				}
			}
		}
	}
}
