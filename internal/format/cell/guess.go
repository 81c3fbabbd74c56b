package cell

import (
	"strconv"
	"strings"

	"ssql/sql/types"
)

// Guess is the kinds of values that a sample of a column has: a set.
type Guess uint32

// The kinds. A format may have others from OtherGuess on; a column of them is VARCHAR
// here.
const (
	GuessBool Guess = 1 << iota
	guessInt        // fits BIGINT
	guessUint       // fits UBIGINT only
	guessNegative
	guessReal
	guessDate
	guessTime
	guessText
	guessCode // 0049, which a number would shorten
	OtherGuess

	guessNumbers = guessInt | guessUint | guessNegative | guessReal
)

// GuessNumber returns the kind of a number.
func GuessNumber(text string) Guess {
	if strings.ContainsAny(text, ".eE") {
		return guessReal
	}
	if n, err := strconv.ParseInt(text, 10, 64); err == nil {
		if n < 0 {
			return guessInt | guessNegative
		}
		return guessInt
	}
	if _, err := strconv.ParseUint(text, 10, 64); err == nil {
		return guessUint
	}
	return guessReal
}

// GuessText returns the kind of text in quotes. It takes only the full ISO form for a
// time: "1-2-3" is a score as often as a date.
func GuessText(text []byte) Guess {
	if len(text) < 10 || text[4] != '-' || text[7] != '-' {
		return guessText
	}
	if _, _, ok := types.ParseTimestamp(text); !ok {
		return guessText
	}
	if len(text) == 10 {
		return guessDate
	}
	return guessTime
}

// GuessWord returns the kind of text of a format that has no other form: it may be a
// number or a truth value.
func GuessWord(text string) Guess {
	if strings.EqualFold(text, "true") || strings.EqualFold(text, "false") {
		return GuessBool
	}
	if _, err := strconv.ParseFloat(text, 64); err != nil || strings.Trim(text, "+-.0123456789eE") != "" {
		return GuessText([]byte(text))
	}
	if hasLeadingZero(text) {
		return guessCode
	}
	return GuessNumber(text)
}

// GuessQuoted returns as what kind text in quotes is read where values of that kind are
// expected, 0 if as none but its own.
func GuessQuoted(text string) Guess {
	if word := GuessWord(text); word&(GuessBool|guessNumbers|guessCode) != 0 {
		return word
	}
	return 0
}

// hasLeadingZero reports whether a number is more likely a code, such as 0049.
func hasLeadingZero(text string) bool {
	text = strings.TrimLeft(text, "+-")
	return len(text) > 1 && text[0] == '0' && text[1] != '.'
}

// Type returns the narrowest type that holds all kinds:
//
//	whole numbers             BIGINT, UBIGINT or DOUBLE, the first that holds them all
//	other numbers             DOUBLE
//	true, false               BOOLEAN
//	text that is ISO-8601     DATE or TIMESTAMP
//	nothing, or a mixture     VARCHAR
func (g Guess) Type() types.Type {
	switch {
	case g == GuessBool:
		return types.Of(types.Boolean)
	case g == guessInt, g == guessInt|guessNegative:
		return types.Of(types.BigInt)
	case g == guessUint, g == guessInt|guessUint:
		return types.Of(types.UBigInt)
	case g != 0 && g&^guessNumbers == 0:
		return types.Of(types.Double)
	case g == guessDate:
		return types.Of(types.Date)
	case g == guessTime, g == guessDate|guessTime:
		return types.Of(types.Timestamp)
	}
	return types.Of(types.Varchar)
}
