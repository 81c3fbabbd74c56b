package sql

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// joinText is a random join and how it nests, spelled out with brackets.
type joinText struct{ text, shape string }

// randomJoin returns a join of n tables. A right side that is a join itself is
// written in brackets, or bare where the grammar allows it: between a join with a
// condition and that condition.
func randomJoin(random *rand.Rand, n int, names *int) joinText {
	if n == 1 {
		*names++
		name := fmt.Sprintf("t%d", *names)
		return joinText{name, name}
	}
	words := []string{"JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN", "LEFT SEMI JOIN", "CROSS JOIN"}[random.Intn(6)]
	left := 1 + random.Intn(n-1)
	if random.Intn(2) == 0 {
		left = n - 1
	}
	l := randomJoin(random, left, names)
	r := randomJoin(random, n-left, names)
	condition := ""
	if words != "CROSS JOIN" {
		*names++
		condition = fmt.Sprintf(" ON c%d", *names)
	}
	text := r.text
	if n-left > 1 && (condition == "" || random.Intn(2) == 0) {
		text = "(" + text + ")"
	}
	return joinText{l.text + " " + words + " " + text + condition, "(" + l.shape + " " + words + " " + r.shape + condition + ")"}
}

// joinShape spells out how a converted join nests.
func joinShape(t TableExpr) string {
	j, ok := t.(*Join)
	if !ok {
		return t.(*TableRef).Name.String()
	}
	condition := ""
	if j.On != nil {
		condition = " ON " + ExprText(j.On)
	}
	return "(" + joinShape(j.Left) + " " + joinNames[j.Kind] + " " + joinShape(j.Right) + condition + ")"
}

// TestJoinShape checks that joins nest as they are written: to the left, conditions
// with the nearest join that lacks one, brackets kept.
func TestJoinShape(t *testing.T) {
	random := rand.New(rand.NewSource(3))
	for range 3000 {
		var texts, shapes []string
		names := 0
		for range 1 + random.Intn(2) {
			j := randomJoin(random, 1+random.Intn(6), &names)
			texts, shapes = append(texts, j.text), append(shapes, j.shape)
		}
		want := shapes[0]
		for _, s := range shapes[1:] {
			want = "(" + want + " CROSS JOIN " + s + ")"
		}
		text := "SELECT 1 FROM " + strings.Join(texts, ", ")
		q, err := ParseQueryText(text)
		if err != nil {
			t.Fatal(rendered(err, text))
		}
		if got := joinShape(q.Body.(*Select).From); got != want {
			t.Fatalf("%s\n got %s\nwant %s", text, got, want)
		}
		checkReprint(t, text, QueryText(q))
	}
}
