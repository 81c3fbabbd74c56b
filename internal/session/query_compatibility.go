package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"ssql/checkpoint"
	"ssql/internal/catalog"
	"ssql/internal/sqlerr"
	"ssql/plan"
	"ssql/sql"
)

// compatibility is how a plan compares with the checkpoint that it is to go on from.
type compatibility struct {
	queryID string        // of the checkpoint; "" without one
	print   []byte        // the plan's fingerprint, to be kept
	verdict *plan.Verdict // nil if there is nothing to compare with
	unborn  bool          // no batch was committed: whatever the verdict, nothing is in the way
	pinned  string        // that another watermark_policy was asked for than the checkpoint has; "" if not
}

// compare compares a definition with the checkpoint of its query. The error is about
// the comparison; what it found is in the verdict. row is what the catalog knows of
// the query: one that has run must find its checkpoint again, since a new one would
// read everything once more and write it twice.
func (s *Session) compare(b *bound, row *catalog.QueryRow) (*compatibility, error) {
	print, err := printOf(b)
	if err != nil {
		return nil, err
	}
	c := &compatibility{print: print}
	found, err := checkpoint.ReadIdentity(s.cfg.FS, row.Checkpoint)
	if err != nil && sqlerr.Code(err) != checkpoint.CodeMissing {
		return nil, err // it may be there, and cannot be read
	}
	if err != nil {
		// Of a new query, or in a folder that the start will refuse.
		return c, s.missing(row)
	}
	if _, err := s.store.Claim(row).Check(s.cfg.FS, row.Checkpoint); err != nil {
		return nil, err
	}
	if row.ID != "" && found.QueryID != row.ID {
		return nil, sqlerr.New("E_CKPT_INCOMPATIBLE", "checkpoint %q belongs to another query than %q: it has the identity %s, not %s", row.Checkpoint, row.Name, found.QueryID, row.ID).
			WithHint("put the query's own folder back, or choose another one with the option checkpoint")
	}
	c.queryID = found.QueryID
	if len(found.Print) == 0 {
		return c, nil
	}
	old, err := plan.ReadPrint(found.Print)
	if err != nil {
		return nil, sqlerr.New("E_CKPT_CORRUPT", "the fingerprint in checkpoint %q cannot be read", row.Checkpoint).Because(err)
	}
	if err := c.pinPolicy(b, old); err != nil {
		return nil, err
	}
	c.verdict = plan.Compare(old, plan.Fingerprint(b.plan))
	if !c.verdict.Compatible {
		c.unborn, err = s.isUnborn(b.cat.Ctx, row, c.queryID)
	}
	return c, err
}

// isUnborn reports whether no batch of a query was committed.
func (s *Session) isUnborn(ctx context.Context, row *catalog.QueryRow, queryID string) (bool, error) {
	report, err := checkpoint.Inspect(s.cfg.FS, row.Checkpoint)
	if err != nil || len(report.Batches) > 0 || len(report.Snapshots) > 0 || len(report.Problems) > 0 {
		return false, err
	}
	return s.hasNoMarker(ctx, queryID)
}

// nextBatch is the batch at which a query would go on.
func (s *Session) nextBatch(row *catalog.QueryRow) (int64, error) {
	report, err := checkpoint.Inspect(s.cfg.FS, row.Checkpoint)
	switch {
	case err != nil:
		return 0, err
	case report.Pending != nil:
		return report.Pending.Batch, nil
	case len(report.Batches) > 0:
		return report.Batches[len(report.Batches)-1].Batch + 1, nil
	}
	return 0, nil
}

// hasNoMarker reports whether the database has stored no batch of a query.
func (s *Session) hasNoMarker(ctx context.Context, queryID string) (bool, error) {
	none := true
	err := s.store.Each(ctx, "SELECT 1 FROM ssql.commits WHERE query_id = ? LIMIT 1", []any{queryID}, func([]any) error {
		none = false
		return nil
	})
	return none, err
}

// missing is the error of a query that has run and does not find its checkpoint, nil for one
// that has not.
func (s *Session) missing(row *catalog.QueryRow) error {
	if row.ID == "" {
		return nil
	}
	if err := s.store.LeftBehind(row); err != nil {
		return err
	}
	return sqlerr.New("E_CKPT_MISSING", "query %q has run, but its checkpoint %q is gone", row.Name, row.Checkpoint).
		WithHint("put the folder back; or DROP QUERY %s, which forgets what it has read, and take what is to be written again out of table %s", sql.IdentText(row.Name), row.Target)
}

// lookForCheckpoint returns why a query cannot have its checkpoint, nil if it can or needs none.
func (s *Session) lookForCheckpoint(row *catalog.QueryRow) error {
	if _, err := s.cfg.FS.Stat(row.Checkpoint); errors.Is(err, fs.ErrNotExist) {
		return s.missing(row)
	}
	_, err := s.store.Claim(row).Check(s.cfg.FS, row.Checkpoint)
	return err
}

// checkFits refuses a definition that cannot go on from the checkpoint of its query.
func (s *Session) checkFits(b *bound, row *catalog.QueryRow) error {
	compared, err := s.compare(b, row)
	if err != nil {
		return err
	}
	return compared.refusal(b)
}

// printOf returns what the checkpoint of a query is to keep of its definition.
func printOf(b *bound) ([]byte, error) {
	print, err := json.Marshal(plan.Fingerprint(b.plan))
	if err != nil {
		return nil, fmt.Errorf("keeping the fingerprint of query %q: %w", b.Name, err)
	}
	return print, nil
}

// refuseShared refuses a checkpoint that another query of this database has: the two
// would count their batches together, and rows that one has read would be missing in the
// other.
func (s *Session) refuseShared(ctx context.Context, row *catalog.QueryRow) error {
	all, err := s.store.Queries(ctx)
	if err != nil {
		return err
	}
	id := row.ID
	if id == "" {
		if found, err := checkpoint.ReadIdentity(s.cfg.FS, row.Checkpoint); err == nil {
			id = found.QueryID
		}
	}
	for _, other := range all {
		if strings.EqualFold(other.Name, row.Name) || other.Checkpoint != row.Checkpoint && (id == "" || other.ID != id) {
			continue
		}
		return sqlerr.New("E_CKPT_INCOMPATIBLE", "checkpoint %q is that of query %q", row.Checkpoint, other.Name).
			WithHint("give query %s a folder of its own with the option checkpoint, or leave the option out", sql.IdentText(row.Name))
	}
	return nil
}

// pinPolicy gives the plan the watermark_policy that its query began with, as Spark
// does: under another one the watermark would mean something else.
func (c *compatibility) pinPolicy(b *bound, old *plan.Print) error {
	pinned := plan.MinPolicy
	if old.Policy == "max" {
		pinned = plan.MaxPolicy
	}
	if pinned == b.plan.Policy {
		return nil
	}
	if len(b.plan.Watermarks) > 1 {
		c.pinned = fmt.Sprintf("query %q keeps watermark_policy = '%s', with which it began", b.Name, old.Policy)
	}
	b.plan.Policy = pinned
	var err error
	c.print, err = printOf(b)
	return err
}

// refusal is the error of a definition that cannot go on, placed at the statement.
func (c *compatibility) refusal(b *bound) error {
	if c.verdict == nil || c.verdict.Compatible || c.unborn {
		return nil
	}
	err := c.verdict.Error()
	err.Span = b.Span()
	// What always goes, and loses nothing that was written.
	anew := []string{"DROP QUERY " + sql.IdentText(b.Name)}
	for _, out := range b.plan.Outputs {
		target := b.InsertOf(out).Target
		last := target[len(target)-1].Name
		named, e := b.cat.Store.SinkNamed(b.cat.Ctx, target)
		table, te := b.cat.Table(target)
		switch {
		case e == nil && named == nil && te == nil && table != nil:
			anew = append(anew, fmt.Sprintf("ALTER TABLE %s RENAME TO %s", out.Target, sql.IdentText(last+"_before")))
		case named != nil:
			return err.WithHint("%s\nTo begin anew: DROP QUERY %s, and another path for what it writes", err.Hint, sql.IdentText(b.Name))
		}
	}
	return err.WithHint("%s\nTo begin anew: %s; and this statement again", err.Hint, strings.Join(anew, "; "))
}

// explainCompatibility is EXPLAIN COMPATIBILITY: what would happen if the definition
// were started now.
func (s *Session) explainCompatibility(b *bound, row *catalog.QueryRow, out Output) error {
	c, err := s.compare(b, row)
	if err != nil {
		return err
	}
	if c.pinned != "" {
		out.Notice(c.pinned)
	}
	next := int64(0)
	if c.verdict != nil && c.verdict.Compatible {
		if next, err = s.nextBatch(row); err != nil {
			return err
		}
	}
	switch {
	case c.verdict == nil:
		out.Message(fmt.Sprintf("query %q has no checkpoint yet: it would start at batch 0", b.Name))
	case c.unborn:
		out.Message(fmt.Sprintf("query %q has stored nothing yet: it would begin anew with this definition, at batch 0", b.Name))
	case c.verdict.Compatible && len(c.verdict.Notices) == 0:
		out.Message(fmt.Sprintf("compatible: query %q would go on at batch %d with the same meaning", b.Name, next))
	case c.verdict.Compatible:
		out.Message(fmt.Sprintf("compatible: query %q would go on, and from batch %d on:\n  %s", b.Name, next, strings.Join(c.verdict.Notices, "\n  ")))
	default:
		lines := []string{fmt.Sprintf("incompatible: query %q cannot go on from its checkpoint", b.Name)}
		for _, d := range c.verdict.Diffs {
			lines = append(lines, fmt.Sprintf("  %s: was %s, is now %s\n    %s", strings.TrimSpace(d.Operator+" "+d.What), orNone(d.Old), orNone(d.New), d.Advice))
		}
		out.Message(strings.Join(lines, "\n"))
	}
	return nil
}

func orNone(s string) string {
	if s == "" {
		return "none"
	}
	return s
}
