package sql

import (
	"errors"

	"ssql/internal/sqlerr"
)

// errorCode returns the code of a user-facing error.
func errorCode(err error) string { return sqlerr.Code(err) }

// rendered returns an error as the user sees it.
func rendered(err error, text string) string {
	if err == nil {
		return "no error"
	}
	return sqlerr.Render(err, &sqlerr.Source{Text: text})
}

// spanOf returns where an error says the fault is.
func spanOf(err error) Span {
	var e *sqlerr.Error
	if errors.As(err, &e) {
		return e.Span
	}
	return Span{}
}
