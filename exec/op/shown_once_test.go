package op

import (
	"strings"
	"testing"

	"github.com/apache/arrow/go/v17/arrow"
	"github.com/apache/arrow/go/v17/arrow/array"
	"github.com/apache/arrow/go/v17/arrow/memory"
)

// TestShownOnceSeesAGroupThatComesAgain shows that the check of invariant I6 can fail.
func TestShownOnceSeesAGroupThatComesAgain(t *testing.T) {
	rows := func(keys ...string) arrow.Record {
		b := array.NewStringBuilder(memory.DefaultAllocator)
		for _, k := range keys {
			if k == "NULL" {
				b.AppendNull()
			} else {
				b.Append(k)
			}
		}
		return array.NewRecord(arrow.NewSchema([]arrow.Field{{Name: "k", Type: arrow.BinaryTypes.String, Nullable: true}}, nil), []arrow.Array{b.NewArray()}, int64(len(keys)))
	}
	var s shownOnce
	s.check(rows("a", "b", "NULL", ""), 1)
	s.check(rows("c"), 1)
	defer func() {
		if text, _ := recover().(string); !strings.HasPrefix(text, "invariant I6 is broken") {
			t.Errorf("got %q", text)
		}
	}()
	s.check(rows("NULL"), 1)
}
