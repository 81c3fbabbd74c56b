package streamtest

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"sort"
	"strconv"
	"strings"
)

// The lines that begin the blocks of a step.
const (
	wantMark = "----"
	ssqlMark = "---- ssql"
	// blankMark is a line that stands for a blank one inside a block.
	blankMark = "."
)

// Script is one parsed file.
type Script struct {
	Name  string // of the file, for messages
	Steps []*Step
	// Golden is the hash of the inputs in `# golden: spark 4.0.1 inputs=HASH`, ""
	// in a script that ssql alone answers for.
	Golden string
	// NoSweep is the reason in `# sweep: none REASON`, "" without.
	NoSweep string

	lines []string // as written
}

// Step is one directive with its input and expected blocks.
type Step struct {
	Line    int // of the directive, from 1
	Verb    string
	Args    []string
	Options map[string]string
	Input   []string // lines as written, trailing blanks kept
	// Want and SSQLWant are the expected blocks; nil without one, empty for a block
	// that expects nothing.
	Want, SSQLWant []string

	directive string
	end       int // line behind the step
	wantAt    int // line of the mark of Want, 0 without
	ssqlAt    int
}

// Error is a fault of a script, as opposed to a wrong answer.
type Error struct {
	Script string
	Line   int
	Text   string
}

// Error returns `file:line: text`.
func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.Script, e.Line, e.Text) }

// Parse reads a script. The error is an *Error with the line at fault.
func Parse(name, text string) (*Script, error) {
	s := &Script{Name: name, lines: strings.Split(strings.TrimRight(strings.ReplaceAll(text, "\r\n", "\n"), "\n"), "\n")}
	for at := 0; at < len(s.lines); {
		line := s.lines[at]
		switch {
		case strings.TrimSpace(line) == "":
			at++
		case strings.HasPrefix(line, "#"):
			s.comment(line)
			at++
		default:
			end := at
			for end < len(s.lines) && strings.TrimSpace(s.lines[end]) != "" {
				end++
			}
			step, err := s.step(at, end)
			if err != nil {
				return nil, err
			}
			s.Steps = append(s.Steps, step)
			at = end
		}
	}
	return s, nil
}

// comment reads the two comments that mean something.
func (s *Script) comment(line string) {
	if rest, ok := strings.CutPrefix(line, "# golden: spark "); ok {
		if _, hash, ok := strings.Cut(rest, "inputs="); ok {
			s.Golden = strings.TrimSpace(hash)
		}
	}
	if rest, ok := strings.CutPrefix(line, "# sweep: none"); ok {
		s.NoSweep = strings.TrimSpace(rest)
		if s.NoSweep == "" {
			s.NoSweep = "no reason given"
		}
	}
}

// step reads lines from at up to end, counted from 0.
func (s *Script) step(at, end int) (*Step, error) {
	st := &Step{Line: at + 1, Options: map[string]string{}, directive: s.lines[at], end: end}
	fault := func(line int, format string, args ...any) error {
		return &Error{s.Name, line, fmt.Sprintf(format, args...)}
	}
	if err := st.parseDirective(); err != nil {
		return nil, fault(st.Line, "%v", err)
	}
	part := &st.Input
	for i, line := range s.lines[at+1 : end] {
		number := at + 2 + i
		switch {
		case line == wantMark && st.Want == nil && st.SSQLWant == nil:
			st.Want, st.wantAt, part = []string{}, number, &st.Want
		case line == ssqlMark && st.Want != nil && st.SSQLWant == nil:
			st.SSQLWant, st.ssqlAt, part = []string{}, number, &st.SSQLWant
		case line == wantMark, line == ssqlMark:
			return nil, fault(number, "expected one block %q and at most one %q behind it", wantMark, ssqlMark)
		case strings.HasPrefix(line, wantMark+" "):
			return nil, fault(number, "expected %q or %q, found %q", wantMark, ssqlMark, line)
		default:
			*part = append(*part, line)
		}
	}
	return st, nil
}

// parseDirective splits `verb arg key=value key="quoted value"`.
func (st *Step) parseDirective() error {
	words, err := splitWords(st.directive)
	if err != nil {
		return err
	}
	st.Verb = words[0]
	for _, w := range words[1:] {
		key, value, isOption := strings.Cut(w, "=")
		if !isOption {
			st.Args = append(st.Args, w)
			continue
		}
		if strings.HasPrefix(value, `"`) {
			if value, err = strconv.Unquote(value); err != nil {
				return fmt.Errorf("expected a quoted value, found %s", w)
			}
		}
		if _, twice := st.Options[key]; twice {
			return fmt.Errorf("option %q is given twice", key)
		}
		st.Options[key] = value
	}
	return nil
}

// splitWords cuts at blanks that are not inside double quotes.
func splitWords(line string) ([]string, error) {
	var words []string
	var word strings.Builder
	quoted, escaped := false, false
	for _, r := range line {
		if (r == ' ' || r == '\t') && !quoted {
			if word.Len() > 0 {
				words = append(words, word.String())
				word.Reset()
			}
			continue
		}
		word.WriteRune(r)
		switch {
		case escaped:
			escaped = false
		case quoted && r == '\\':
			escaped = true
		case r == '"':
			quoted = !quoted
		}
	}
	if quoted {
		return nil, fmt.Errorf("expected a closing quote in %q", line)
	}
	if word.Len() > 0 {
		words = append(words, word.String())
	}
	return words, nil
}

// Name returns the first argument.
func (st *Step) Name() string {
	if len(st.Args) == 0 {
		return ""
	}
	return st.Args[0]
}

// Text returns the input as one text, with blank lines where the script has dots.
func (st *Step) Text() string { return strings.Join(unescape(st.Input), "\n") }

// unescape puts blank lines for dots.
func unescape(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		if line != blankMark {
			out[i] = line
		}
	}
	return out
}

// escape is the inverse of unescape.
func escape(lines []string) []string {
	out := make([]string, len(lines))
	for i, line := range lines {
		out[i] = line
		if strings.TrimSpace(line) == "" {
			out[i] = blankMark
		}
	}
	return out
}

// OnlySSQL reports whether Spark never sees the step.
func (st *Step) OnlySSQL() bool {
	v, ok := lookupVerb(st.Verb)
	return st.Options["only"] == "ssql" || ok && v.onlySSQL
}

// OnlySpark reports whether ssql skips the step.
func (st *Step) OnlySpark() bool { return st.Options["only"] == "spark" }

// InputsHash is the hash of everything that Spark sees, as the recorder computes it
// (testdata/goldens/README.md): a script whose inputs changed since it was recorded is stale.
func (s *Script) InputsHash() string {
	var b strings.Builder
	for _, st := range s.Steps {
		if st.OnlySSQL() {
			continue
		}
		words := append([]string{st.Verb}, st.Args...)
		var options []string
		for key, value := range st.Options {
			if key != "differs" {
				options = append(options, key+"="+value)
			}
		}
		sort.Strings(options)
		b.WriteString(strings.Join(append(words, options...), " ") + "\n")
		for _, line := range st.Input {
			b.WriteString(strings.TrimRight(line, " \t") + "\n")
		}
		b.WriteString("\n")
	}
	sum := sha256.Sum256([]byte(b.String()))
	return hex.EncodeToString(sum[:])[:12]
}

// Expected returns the block that ssql must answer with, and whether it was written by
// Spark, so that only the class of an error is compared.
func (s *Script) Expected(st *Step) (want []string, bySpark bool) {
	if st.SSQLWant != nil {
		return st.SSQLWant, false
	}
	return st.Want, s.Golden != "" && !st.OnlySSQL()
}

// Format returns the script as text. For a script that was not changed that is what
// was parsed.
func (s *Script) Format() string { return strings.Join(s.lines, "\n") + "\n" }
