package plan

import (
	"errors"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

// modeWords are how a hint proposes an output mode.
var modeWords = []struct {
	words string
	mode  types.Mode
}{
	{"EMIT COMPLETE", types.Complete},
	{"EMIT ON UPDATE", types.Update},
	{"EMIT ON WINDOW CLOSE", types.Append},
}

// passingHint leaves those ways out of the hint of a refusal that are another output mode in
// which the query is refused too: two refusals would send the user from one to the other.
// What else the append mode lacks stands in its place. root is the tree before retractions.
func passingHint(out *Output, root Node, o Options, refused error) error {
	var e *sqlerr.Error
	if !errors.As(refused, &e) || e.Hint == "" {
		return refused
	}
	var kept []string
	for _, way := range strings.Split(e.Hint, "; or ") {
		m, other := proposedMode(way)
		if !other {
			kept = append(kept, way)
			continue
		}
		err := tryMode(out, root, o, m)
		if err == nil {
			kept = append(kept, way)
		} else if m == types.Append {
			kept = append(kept, besideAppend(err)...)
		}
	}
	changed := *e
	changed.Hint = strings.Join(kept, "; or ")
	return &changed
}

// proposedMode returns the mode that a way out is, without another change of the query.
func proposedMode(way string) (types.Mode, bool) {
	for _, w := range modeWords {
		rest, found := strings.CutPrefix(strings.TrimPrefix(way, "use "), w.words)
		if found && !strings.HasPrefix(rest, " with ") && !strings.HasPrefix(rest, ", and ") {
			return w.mode, true
		}
	}
	return 0, false
}

// besideAppend returns the ways of a refusal in append mode that stay in it.
func besideAppend(refused error) (ways []string) {
	var e *sqlerr.Error
	if !errors.As(refused, &e) {
		return nil
	}
	for _, way := range strings.Split(e.Hint, "; or ") {
		if _, other := proposedMode(way); !other && way != "" {
			ways = append(ways, "use EMIT ON WINDOW CLOSE, and "+way)
		}
	}
	return ways
}

// tryMode checks an output in another mode and leaves it as it is.
func tryMode(out *Output, root Node, o Options, m types.Mode) error {
	tried := *out
	if tried.Root = root; o.Retraction && m != types.Append {
		tried.Root = retract(root, m)
	}
	return setMode(&tried, m)
}
