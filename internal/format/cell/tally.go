package cell

import "ssql/sql/types"

// mainPercent is how many of the values of a sample a type must hold, at least, to be that
// of their column: the others are bad rows, which are kept and counted.
const mainPercent = 99

// Tally is what a sample of a column has: of each kind how many values, and the first.
type Tally []seen

type seen struct {
	kind  Guess
	reads Guess // what it is read as, too, where that is expected: "12" in quotes as a number
	count int64
	first Place
}

// Place is where in the samples a value is, and its text.
type Place struct {
	Sample int
	Line   int64
	Text   string
}

func (p Place) before(o Place) bool {
	return p.Sample < o.Sample || p.Sample == o.Sample && p.Line < o.Line
}

// Outlier tells of values that the type of their column cannot hold.
type Outlier struct {
	Column    string
	Type      types.Type
	Count, Of int64 // of the values that are not NULL
	First     Place
}

// Add takes count values of one kind in, which are read as those of another, too, if that is
// not 0. Those added earlier come first.
func (t *Tally) Add(kind, reads Guess, count int64, first Place) {
	for i := range *t {
		if (*t)[i].kind == kind && (*t)[i].reads == reads {
			(*t)[i].count += count
			return
		}
	}
	*t = append(*t, seen{kind, reads, count, first})
}

// Merge takes in what another sample has, which is called by a number.
func (t *Tally) Merge(o Tally, sample int) {
	for _, s := range o {
		s.first.Sample = sample
		t.Add(s.kind, s.reads, s.count, s.first)
	}
}

// Kinds returns the kinds of all values.
func (t Tally) Kinds() (all Guess) {
	for _, s := range t {
		all |= s.kind
	}
	return all
}

// Main returns the kinds that decide on the type: all, unless they have no type in common
// but mainPercent of the values do, and none of the others would become another value by
// it. What the others are, without column and type, is told then.
func (t Tally) Main() (Guess, *Outlier) {
	all := t.Kinds()
	if all.Type().Kind != types.Varchar {
		return all, nil
	}
	for _, alike := range []Guess{GuessBool, guessNumbers, guessDate | guessTime, OtherGuess, OtherGuess << 1} {
		if main, odd := t.among(alike); main != 0 {
			return main, odd
		}
	}
	return all, nil
}

// among returns the kinds that decide if those of alike do, else 0.
func (t Tally) among(alike Guess) (main Guess, odd *Outlier) {
	odd = &Outlier{}
	var good int64
	for _, s := range t {
		odd.Of += s.count
		switch {
		case (s.kind|s.reads)&guessCode != 0:
			return 0, nil
		case s.kind&alike != 0:
			good += s.count
			main |= s.kind
		case s.reads&alike != 0:
			main |= s.reads
		case odd.Count == 0 || s.first.before(odd.First):
			odd.First = s.first
			odd.Count += s.count
		default:
			odd.Count += s.count
		}
	}
	if good*100 < odd.Of*mainPercent || good == 0 {
		return 0, nil
	}
	if odd.Count == 0 {
		return main, nil
	}
	return main, odd
}
