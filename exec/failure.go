package exec

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"ssql/checkpoint"
	"ssql/internal/sqlerr"
)

// batchError names the batch that an execution failed in. When the rows are at fault
// it also says what a restart does: exactly the same, until something is changed.
func (q *Query) batchError(p *checkpoint.Plan, err error) error {
	var e *sqlerr.Error
	if q.log == nil || !errors.As(err, &e) || e.Err != nil || e.Code == sqlerr.Internal || strings.HasPrefix(e.Code, "E_SOURCE") {
		return fmt.Errorf("batch %d of query %q: %w", p.Batch, q.cfg.Name, err)
	}
	c := *e
	// What the layers between say was being done stays in the text.
	c.Text = fmt.Sprintf("batch %d of query %q: %s", p.Batch, q.cfg.Name, strings.Replace(err.Error(), e.Code+": ", "", 1))
	if c.Detail != "" {
		c.Detail += "\n"
	}
	again := "on the same rows, and it fails again until the query, an option or the input is changed"
	if e.Code == "E_LIMIT" && slices.ContainsFunc(p.Ranges, reads) {
		again = "on the same rows, or on the first of them once max_files_per_batch, max_rows_per_batch or max_bytes_per_batch is lowered (SET, ALTER QUERY, ALTER STREAM)"
	}
	c.Detail += fmt.Sprintf("Nothing of batch %d was written. The next start runs it again %s.", p.Batch, again)
	return &c
}
