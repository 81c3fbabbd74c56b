package exec

import (
	"encoding/json"
	"slices"

	"ssql/checkpoint"
	"ssql/internal/sqlerr"
	"ssql/plan"
)

// namesOf returns the names by which the records of a query list its sources and watermark
// nodes; nil where their order counts.
func namesOf(p *plan.Plan) *checkpoint.Names {
	sources := p.SourceNames()
	if sources == nil {
		return nil
	}
	n := &checkpoint.Names{Sources: sources}
	for _, w := range p.Watermarks {
		n.Nodes = append(n.Nodes, w.Name)
	}
	return n
}

// rename puts the committed batches of a checkpoint into the order of the query's sources and
// watermarks. A source that some batch was run without begins anew behind it: what was read of
// it before is forgotten.
func (q *Query) rename(rec *checkpoint.Recovered) error {
	for i := range rec.Batches {
		b := &rec.Batches[i]
		read := b.Commit.Names
		if _, err := q.renamePlan(b.Plan, read); err != nil {
			return err
		}
		nodes, err := renamed(b.Commit.NodeMicros, nodesOf(read), nodesOf(q.names), len(q.wm.nodes), "watermarks")
		if err != nil {
			return err
		}
		b.Commit.NodeMicros = nodes
	}
	if q.names == nil {
		return nil
	}
	for i, name := range q.names.Sources {
		for _, b := range rec.Batches[:lastWithout(rec.Batches, name)+1] {
			b.Plan.Ranges[i] = nil
		}
	}
	return nil
}

// renamePlan puts the ranges of a PLAN into the order of the query's sources. committed are the
// names of its COMMIT, nil before it: a source that is not among them was not read. dropped
// names a source with rows that the query does not have.
func (q *Query) renamePlan(p *checkpoint.Plan, committed *checkpoint.Names) (dropped string, err error) {
	if p.Names != nil {
		for i, name := range p.Names.Sources {
			gone := committed != nil && !slices.Contains(committed.Sources, name)
			if i < len(p.Ranges) && gone {
				p.Ranges[i] = nil
			}
			if q.names != nil && i < len(p.Ranges) && reads(p.Ranges[i]) && !slices.Contains(q.names.Sources, name) {
				dropped = name
			}
		}
	}
	if p.Ranges, err = renamed(p.Ranges, sourcesOf(p.Names), sourcesOf(q.names), len(q.cfg.Sources), "sources"); err != nil {
		return "", err
	}
	if p.Names != nil && q.names != nil {
		var idle []int
		for _, id := range p.Idle {
			if at := slices.Index(q.names.Nodes, p.Names.Nodes[id]); at >= 0 {
				idle = append(idle, at)
			}
		}
		p.Idle, p.Names = idle, q.names
	}
	return dropped, nil
}

// renameHead puts the head of a snapshot into the order of the query's sources and watermarks.
// batches are those behind it.
func (q *Query) renameHead(head *snapshotHead, batches []checkpoint.Batch) (err error) {
	from, to := sourcesOf(head.Names), sourcesOf(q.names)
	if head.Positions, err = renamed(head.Positions, from, to, len(q.cfg.Sources), "sources"); err != nil {
		return err
	}
	if head.Arrivals.Newest, err = renamed(head.Arrivals.Newest, from, to, len(q.cfg.Sources), "sources"); err != nil {
		return err
	}
	var idle []int
	for _, id := range head.Idle {
		if at := id; head.Names == nil || q.names == nil {
			idle = append(idle, at)
		} else if at = slices.Index(q.names.Nodes, head.Names.Nodes[id]); at >= 0 {
			idle = append(idle, at)
		}
	}
	head.Idle = idle
	if head.Nodes, err = renamed(head.Nodes, nodesOf(head.Names), nodesOf(q.names), len(q.wm.nodes), "watermarks"); err != nil {
		return err
	}
	for i, name := range to {
		if !slices.Contains(from, name) {
			head.Arrivals.Newest[i] = head.Now
		}
		if lastWithout(batches, name) >= 0 {
			head.Positions[i] = nil
		}
	}
	return nil
}

// lastWithout returns the index of the last batch that was committed without a source, -1 if
// all of them had it.
func lastWithout(batches []checkpoint.Batch, source string) int {
	for i := len(batches) - 1; i >= 0; i-- {
		if n := batches[i].Commit.Names; n != nil && !slices.Contains(n.Sources, source) {
			return i
		}
	}
	return -1
}

func sourcesOf(n *checkpoint.Names) []string {
	if n == nil {
		return nil
	}
	return n.Sources
}

func nodesOf(n *checkpoint.Names) []string {
	if n == nil {
		return nil
	}
	return append([]string{}, n.Nodes...) // not nil: it may have none
}

// renamed puts a list that goes by names into the order of others. What has no name there is
// left out, what is new is zero. Without names on both sides the order counts, and the list must
// have as many entries as the query.
func renamed[T any](list []T, from, to []string, count int, what string) ([]T, error) {
	switch {
	case from == nil && to == nil && len(list) != count:
		return nil, sqlerr.New("E_CKPT_INCOMPATIBLE", "the checkpoint has %d %s and the query %d", len(list), what, count)
	case from == nil && to == nil:
		return list, nil
	case from == nil || to == nil:
		return nil, sqlerr.New("E_CKPT_INCOMPATIBLE", "of the checkpoint and the query only one names its %s", what)
	case len(list) != len(from):
		return nil, sqlerr.New("E_CKPT_CORRUPT", "a record has %d %s and names for %d", len(list), what, len(from))
	}
	out := make([]T, len(to))
	for i, name := range from {
		if at := slices.Index(to, name); at >= 0 {
			out[at] = list[i]
		}
	}
	return out, nil
}

// arriveLater counts the silence of a source that is new from the last batch without it.
func (q *Query) arriveLater(batches []checkpoint.Batch) {
	for i, name := range sourcesOf(q.names) {
		if at := lastWithout(batches, name); at >= 0 {
			q.arrived.Newest[i] = max(q.arrived.Newest[i], batches[at].Plan.NowMicros)
		}
	}
}

// readHead reads the head of a snapshot.
func readHead(text []byte, batch int64) (*snapshotHead, error) {
	head := new(snapshotHead)
	if err := json.Unmarshal(text, head); err != nil {
		return nil, sqlerr.New("E_CKPT_CORRUPT", "the head of the snapshot of batch %d cannot be read", batch).Because(err)
	}
	return head, nil
}
