package types

import "strings"

// patternField is a field of a time pattern in another engine's letters, and its code in
// a TimeFormat.
type patternField struct{ letters, code string }

// javaFields are those of Java's DateTimeFormatter, which Flink, Spark and ksqlDB take;
// longer ones first. T is none in Java, but who writes it without quotes means itself.
var javaFields = []patternField{
	{"SSSSSS", "%f"}, {"EEEE", "%A"}, {"MMMM", "%B"}, {"uuuu", "%Y"}, {"yyyy", "%Y"},
	{"DDD", "%j"}, {"EEE", "%a"}, {"MMM", "%b"}, {"SSS", "%g"}, {"XXX", "%z"},
	{"HH", "%H"}, {"MM", "%m"}, {"dd", "%d"}, {"hh", "%I"}, {"mm", "%M"}, {"ss", "%S"}, {"yy", "%y"},
	{"E", "%a"}, {"H", "%-H"}, {"M", "%-m"}, {"T", "T"}, {"X", "%z"}, {"Z", "%z"}, {"a", "%p"}, {"d", "%-d"}, {"h", "%-I"}, {"m", "%-M"}, {"s", "%-S"}, {"z", "%Z"},
}

// postgresFields are those of to_char, which RisingWave takes.
var postgresFields = []patternField{
	{"HH12", "%I"}, {"HH24", "%H"}, {"YYYY", "%Y"}, {"DDD", "%j"}, {"Day", "%A"}, {"Mon", "%b"},
	{"AM", "%p"}, {"DD", "%d"}, {"Dy", "%a"}, {"HH", "%I"}, {"MI", "%M"}, {"MM", "%m"}, {"MS", "%g"}, {"PM", "%p"}, {"SS", "%S"}, {"US", "%f"}, {"YY", "%y"},
	{"hh24", "%H"}, {"yyyy", "%Y"}, {"dd", "%d"}, {"mi", "%M"}, {"mm", "%m"}, {"ss", "%S"},
}

// FormatOfJava writes a pattern of Java's DateTimeFormatter with the codes of TimeFormat.
// ok is false for a letter that there is no code for. Text in single quotes is itself.
func FormatOfJava(pattern string) (format string, ok bool) { return formatOf(pattern, javaFields) }

// FormatOfPostgres is FormatOfJava for a pattern of to_char.
func FormatOfPostgres(pattern string) (format string, ok bool) {
	return formatOf(pattern, postgresFields)
}

func formatOf(pattern string, fields []patternField) (format string, ok bool) {
	var b strings.Builder
	for pattern != "" {
		if rest, quoted := strings.CutPrefix(pattern, "'"); quoted {
			inside, behind, closed := quotedText(rest)
			if !closed {
				return "", false
			}
			b.WriteString(strings.ReplaceAll(inside, "%", "%%"))
			pattern = behind
			continue
		}
		n, code := fieldAt(pattern, fields)
		if n == 0 {
			return "", false
		}
		b.WriteString(code)
		pattern = pattern[n:]
	}
	return b.String(), true
}

// quotedText returns the text up to the quote that closes it, and what stands behind. Two
// quotes are one, also without text around them.
func quotedText(rest string) (inside, behind string, closed bool) {
	if behind, ok := strings.CutPrefix(rest, "'"); ok {
		return "'", behind, true
	}
	for {
		part, after, ok := strings.Cut(rest, "'")
		inside += part
		if !ok {
			return "", "", false
		}
		if rest, ok = strings.CutPrefix(after, "'"); !ok {
			return inside, after, true
		}
		inside += "'"
	}
}

// fieldAt returns the length of the field or of the sign that a pattern begins with, and
// its code; 0 for a letter that is neither.
func fieldAt(pattern string, fields []patternField) (n int, code string) {
	for _, f := range fields {
		if strings.HasPrefix(pattern, f.letters) {
			return len(f.letters), f.code
		}
	}
	first := pattern[0]
	switch {
	case first == '%':
		return 1, "%%"
	case first >= 'a' && first <= 'z' || first >= 'A' && first <= 'Z':
		return 0, ""
	}
	return 1, pattern[:1]
}
