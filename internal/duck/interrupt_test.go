package duck

import (
	"context"
	"errors"
	"testing"
	"time"
)

// A statement of hours ends when its context does, and the connection stays usable.
func TestQueryArrowIsInterrupted(t *testing.T) {
	db, err := Open(":memory:", Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	c, release, err := db.Conn(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	defer release()
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	_, err = c.QueryArrow(ctx, "SELECT count(*) FROM range(1000000000000) t(i) WHERE i % 7 = 3")
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("got %v, want the end of the context", err)
	}
	if _, err := c.QueryArrow(context.Background(), "SELECT 1"); err != nil {
		t.Errorf("the connection is of no use any more: %v", err)
	}
}
