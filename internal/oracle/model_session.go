package oracle

import (
	"cmp"
	"slices"

	"ssql/sql/types"
)

// sessionNode groups by sessions (docs/SEMANTICS.md, Windows): every row is a session of its own,
// from its time to a gap later, and sessions of a key that overlap or touch are one.
type sessionNode struct {
	in       node
	q        *Query
	at       map[string]int
	sessions []*session
	late     int64
}

// session is one session; its group has the key without window.
type session struct {
	id         string
	start, end int64
	group      *group
}

func newSession(in node, q *Query) *sessionNode {
	return &sessionNode{in: in, q: q, at: places(q.From.Columns())}
}

func (n *sessionNode) water(global int64) (int64, bool) { return n.in.water(global) }

// run judges a row as late by its own end, also inside a session that is still open, and
// in complete mode too.
func (n *sessionNode) run(b *tick) []Row {
	n.late = 0
	late, evict := incoming(n.in, b.late), incoming(n.in, b.evict)
	_, timed := n.in.water(1)
	for _, r := range n.in.run(b) {
		s := n.of(r)
		switch {
		case s == nil:
		case timed && s.end <= late:
			n.late++
		default:
			n.take(s)
		}
	}
	var out []Row
	var left []*session
	for _, s := range n.sessions {
		over := timed && n.q.Mode == types.Append && s.end <= evict
		if over || n.q.Mode == types.Complete {
			s.group.key[0], s.group.key[1] = s.start, s.end
			if r := s.group.result(n.q); r != nil {
				out = append(out, r)
			}
		}
		if !over {
			left = append(left, s)
		}
	}
	n.sessions = left
	return out
}

// of returns the session that a row is by itself; nil without a time or a gap.
func (n *sessionNode) of(r Row) *session {
	t, ok := r[0].(int64)
	gap := n.q.Window.Size
	if wide := n.q.Window.WideIf; wide != nil && isTrue(wide.Eval(n.at, r)) {
		gap = n.q.Window.Wide
	}
	if !ok || gap <= 0 {
		return nil
	}
	s := &session{start: t, end: t + gap, group: &group{key: Row{nil, nil}, values: make([][]Value, len(n.q.Calls))}}
	for _, k := range n.q.Keys {
		v := r[n.at[k.Name]]
		s.group.key = append(s.group.key, v)
		s.id += text(v) + "|"
	}
	s.group.add(n.q, n.at, r)
	return s
}

// take merges a session with all of its key that it overlaps or touches. It may bring
// others together, so it is done until nothing more joins.
func (n *sessionNode) take(s *session) {
	for {
		at := slices.IndexFunc(n.sessions, func(o *session) bool {
			return o.id == s.id && o.start <= s.end && s.start <= o.end
		})
		if at < 0 {
			break
		}
		o := n.sessions[at]
		n.sessions = slices.Delete(n.sessions, at, at+1)
		s.start, s.end = min(s.start, o.start), max(s.end, o.end)
		for i := range s.group.values {
			s.group.values[i] = append(o.group.values[i], s.group.values[i]...)
		}
	}
	n.sessions = append(n.sessions, s)
	slices.SortFunc(n.sessions, func(a, b *session) int { return cmp.Compare(a.start, b.start) })
}

func (n *sessionNode) wants(last, next int64) bool {
	return n.q.Mode != types.Complete && incoming(n.in, next) > incoming(n.in, last)
}

func (n *sessionNode) stats() OpStats { return OpStats{Late: n.late, Total: int64(len(n.sessions))} }
