// Package sqlerr holds the errors that ssql shows to its users: a stable code,
// where in the text the fault lies, what was expected and found, and what to do.
//
// Every package that refuses something a user wrote or fed builds an *Error; the
// shell attaches the source text and prints it with the line and a caret. Errors
// that are not meant for users wrap with fmt.Errorf as usual and surface as
// E_INTERNAL.
package sqlerr

import (
	"errors"
	"fmt"
)

// Span is a half-open range of byte offsets into the text of a Source. The
// offsets count from the top of the whole file (or of the statement typed at the
// prompt), never from the start of one statement inside a script.
type Span struct{ Start, End int }

// To returns the smallest span that covers s and end.
func (s Span) To(end Span) Span { return Span{s.Start, max(s.End, end.End)} }

// Error is one refusal or failure, addressed to the user.
type Error struct {
	Code   string // a row of Codes, such as UNRESOLVED_COLUMN or E_CKPT_CORRUPT
	Span   Span   // the offending text; the zero span means no position is known
	Text   string // one line, lower case, no full stop
	Detail string // optional: more lines, full sentences
	Hint   string // optional: what to do, the edited text where it can be made
	Err    error  // optional cause, for errors.Is and errors.As
}

// Error returns code and text on one line, without source and caret.
func (e *Error) Error() string {
	s := e.Code + ": " + e.Text
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// New returns an error with a code and a text without position.
func New(code, format string, args ...any) *Error {
	return &Error{Code: code, Text: fmt.Sprintf(format, args...)}
}

// At returns an error at a position.
func At(span Span, code, format string, args ...any) *Error {
	return &Error{Code: code, Span: span, Text: fmt.Sprintf(format, args...)}
}

// WithHint sets the hint and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// WithDetail sets the detail and returns e.
func (e *Error) WithDetail(format string, args ...any) *Error {
	e.Detail = fmt.Sprintf(format, args...)
	return e
}

// Because sets the cause and returns e.
func (e *Error) Because(err error) *Error {
	e.Err = err
	return e
}

// Code returns the code of the first *Error in err's chain, E_INTERNAL for any
// other error and "" for nil.
func Code(err error) string {
	if err == nil {
		return ""
	}
	var e *Error
	if errors.As(err, &e) {
		return e.Code
	}
	return Internal
}

// Internal is the code of errors that nobody expected: a bug in ssql.
const Internal = "E_INTERNAL"
