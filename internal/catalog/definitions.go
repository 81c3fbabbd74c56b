package catalog

import (
	"fmt"
	"strconv"
	"strings"

	"ssql/internal/settings"
	"ssql/internal/sqlerr"
	"ssql/sql"
)

// ParseStored parses a statement of the catalog. Its positions count from its own
// start.
func ParseStored(text string) (sql.Statement, error) {
	st, err := sql.ParseStatement(sql.Piece{Text: text, Span: sql.Span{End: len(text)}}, sql.WidestLimits())
	if u, ok := st.(*sql.Undecided); ok && err == nil {
		return u.Parse(sql.WidestLimits())
	}
	return st, err
}

// SameDefinition reports whether two CREATE statements mean the same, whatever they say
// about replacing.
func SameDefinition(a, b string) bool { return definitionCore(a) == definitionCore(b) }

// definitionCore is the canonical text without OR REPLACE and IF NOT EXISTS. What cannot
// be parsed any more is compared word by word.
func definitionCore(text string) string {
	if parsed, err := ParseStored(text); err == nil {
		text = sql.StatementText(parsed)
	}
	core := sql.Canonical(text)
	core = strings.Replace(core, "create or replace ", "create ", 1)
	return strings.Replace(core, " if not exists ", " ", 1)
}

// DefinitionDiff shows what differs between two definitions: the words between their
// common beginning and end.
func DefinitionDiff(old, new, oldDir, newDir string) string {
	a, b := strings.Fields(definitionCore(old)), strings.Fields(definitionCore(new))
	if SameDefinition(old, new) {
		return fmt.Sprintf("Relative paths in it started at %q, now at %q.", oldDir, newDir)
	}
	from := 0
	for from < len(a) && from < len(b) && a[from] == b[from] {
		from++
	}
	endA, endB := len(a), len(b)
	for endA > from && endB > from && a[endA-1] == b[endB-1] {
		endA--
		endB--
	}
	// Some words around the difference say where it is.
	const around = 3
	show := func(words []string, end int) string {
		text := strings.Join(words[max(0, from-around):min(len(words), end+around)], " ")
		if from > around {
			text = "... " + text
		}
		if end+around < len(words) {
			text += " ..."
		}
		return text
	}
	return "It is:   " + show(a, endA) + "\nYours is: " + show(b, endB)
}

// PlaceOver gives an error a place, whatever it had.
func PlaceOver(err error, at sql.Span) error {
	if e, ok := err.(*sqlerr.Error); ok {
		placed := *e
		placed.Span = at
		return &placed
	}
	return err
}

// PlaceAt gives an error of a connector the place of the statement that caused it,
// unless it has one.
func PlaceAt(err error, at sql.Span) error {
	if e, ok := err.(*sqlerr.Error); ok && e.Span == (sql.Span{}) {
		placed := *e
		placed.Span = at
		return &placed
	}
	return err
}

// PlaceAtOption gives an error of a connector the place of the last option whose value or name it
// quotes, else the other place.
func PlaceAtOption(err error, options []sql.Option, other sql.Span) error {
	e, ok := err.(*sqlerr.Error)
	if !ok {
		return err
	}
	for _, o := range options {
		name, value := strconv.Quote(strings.ToLower(o.Key.Name)), strconv.Quote(settings.OptionText(o.Value))
		if strings.Contains(e.Text, "option "+name) || strings.Contains(e.Text, value) {
			other = o.ValueAt
		}
	}
	return PlaceAt(err, other)
}

// Unplaced takes the position out of an error that is about another text.
func Unplaced(err error, doing string) error {
	if e, ok := err.(*sqlerr.Error); ok {
		moved := *e
		moved.Span, moved.Text = sql.Span{}, doing+": "+e.Text
		return &moved
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// FirstWord returns the first word of a statement in upper case.
func FirstWord(text string) string {
	words, _ := sql.Words(text)
	if len(words) == 0 {
		return ""
	}
	return strings.ToUpper(words[0].Text)
}

// FirstWords reports whether a statement begins with words, OR REPLACE left out.
func FirstWords(text string, want ...string) bool {
	words, _ := sql.Words(text)
	if len(words) > 2 && strings.EqualFold(words[1].Text, "OR") {
		words = append(words[:1:1], words[3:]...)
	}
	for i, w := range want {
		if i >= len(words) || !strings.EqualFold(words[i].Text, w) {
			return false
		}
	}
	return true
}
