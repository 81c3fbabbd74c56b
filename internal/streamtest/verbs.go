package streamtest

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"sort"
	"strings"
)

// verb is a row of the table of verbs.
type verb struct {
	name     string
	usage    string
	about    string
	args     int      // of arguments at least
	options  []string // accepted, sorted, beside those of every step
	onlySSQL bool     // Spark does not know it
	run      func(h *harness, st *Step) ([]string, error)
}

// commonOptions are accepted by every step.
var commonOptions = []string{"differs", "only"}

// verbs returns the table, sorted by name. A new verb is a row here and a method.
func verbs() []verb {
	return []verb{
		{"advance", "advance DURATION", "steps the clock of the batches", 1, nil, true, (*harness).advance},
		{"checkpoint", "checkpoint NAME", "prints what is on disk", 1, nil, true, (*harness).checkpoint},
		{"crash", "crash NAME at=POINT|write=K [unsynced=PCT]", "stops the machine in the next run: at the K-th write, or at before-plan, planned or written; PCT says how much of what was not synced stays", 1, []string{"at", "unsynced", "write"}, true, (*harness).crash},
		{"dedup", "dedup NAME [within] of=REL [keys=a,b]", "names REL without duplicates", 1, []string{"keys", "of"}, false, (*harness).dedup},
		{"explain", "explain NAME [kind=logical|state]", "prints the plan", 1, []string{"kind"}, true, (*harness).explain},
		{"fault", "fault sink=NAME batch=N [when=before|after]", "the sink fails once, before or after it stores batch N", 0, []string{"batch", "sink", "when"}, false, (*harness).fault},
		{"feed", "feed STREAM", "rows for the next run, a line each; no rows are an empty file", 1, nil, false, (*harness).feed},
		{"progress", "progress NAME [batch=ID] fields=a.b,c.0.d", "prints fields of the progress of a batch, the last without batch=", 1, []string{"batch", "fields"}, false, (*harness).progress},
		{"query", "query NAME [mode=append|update|complete] [sink=memory]", "defines a query by the SELECT or the statement set in the input; prints the columns of its results, whose rows then begin with their target if there are several", 1, []string{"mode", "sink"}, false, (*harness).defineQuery},
		{"restart", "restart NAME", "stops a query cleanly and starts it again; prints where it resumes", 1, nil, false, (*harness).restart},
		{"run", "run NAME [trigger=once|available_now] [ordered]", "runs batches until nothing is due; prints a header and the rows of each", 1, []string{"trigger"}, false, (*harness).run},
		{"set", "set KEY=VALUE", "before the query: ansi, multiple_stateful, no_data_batches, retraction, watermark_policy", 0, []string{"ansi", "multiple_stateful", "no_data_batches", "retraction", "watermark_policy"}, false, (*harness).set},
		{"sink", "sink NAME [ordered] [table]", "prints everything that was written, or the table that it makes", 1, nil, false, (*harness).sink},
		{"sql", "sql", "runs ssql statements; prints their rows and messages", 0, nil, true, (*harness).sql},
		{"state", "state NAME", "prints how many rows the operators hold after the last batch", 1, nil, false, (*harness).state},
		{"stream", "stream NAME [watermark=COL:DELAY]", "declares an input: a line `name TYPE [NOT NULL]` for each column", 1, []string{"watermark"}, false, (*harness).stream},
		{"table", "table NAME", "declares a table: column lines, a line `.`, rows", 1, nil, false, (*harness).table},
		{"view", "view NAME", "names the SELECT in the input", 1, nil, false, (*harness).view},
		{"watermark", "watermark NAME of=REL col=C delay=D", "names REL with a watermark", 1, []string{"col", "delay", "of"}, false, (*harness).watermark},
	}
}

func lookupVerb(name string) (verb, bool) {
	table := verbs()
	i := sort.Search(len(table), func(i int) bool { return table[i].name >= name })
	if i < len(table) && table[i].name == name {
		return table[i], true
	}
	return verb{}, false
}

// check compares a step with its row of the table.
func (v verb) check(st *Step) error {
	if len(st.Args) < v.args {
		return fmt.Errorf("%s needs a name: %s", v.name, v.usage)
	}
	known := append(append([]string(nil), v.options...), commonOptions...)
	for _, key := range slices.Sorted(maps.Keys(st.Options)) {
		if !slices.Contains(known, key) {
			sort.Strings(known)
			return fmt.Errorf("%s has no option %q; expected %s", v.name, key, strings.Join(known, ", "))
		}
	}
	return nil
}

// PrintVerbs writes the manual of the verbs.
func PrintVerbs(w io.Writer) error {
	for _, v := range verbs() {
		note := ""
		if v.onlySSQL {
			note = " (ssql only)"
		}
		if _, err := fmt.Fprintf(w, "%s\n    %s%s\n", v.usage, v.about, note); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintln(w, "every step: only=spark|ssql, differs=REASON, and a word `ordered` where the order of rows counts")
	return err
}
