package state

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"
)

// modelRow is what the test keeps beside the multimap, one row at a time.
type modelRow struct {
	key, payload string
	time         int64
	flag         bool
}

// contents lists the rows as text, sorted.
func contents(m *Multimap) []string {
	var out []string
	for i := range m.rows {
		r := &m.rows[i]
		if r.dead {
			continue
		}
		key := "-"
		if r.key >= 0 {
			key = string(m.keys.Value(r.key))
		}
		out = append(out, fmt.Sprintf("%s %d %t %s", key, r.time, r.flag, m.Payload(int32(i))))
	}
	slices.Sort(out)
	return out
}

func TestMultimapAgainstModel(t *testing.T) {
	for seed := int64(0); seed < 20; seed++ {
		rng := rand.New(rand.NewSource(seed))
		m, replay := NewMultimap(), NewMultimap()
		var model []modelRow
		for batch := 0; batch < 30; batch++ {
			for i := rng.Intn(200); i > 0; i-- {
				r := modelRow{key: fmt.Sprint(rng.Intn(20)), payload: fmt.Sprint(rng.Int63()), time: int64(batch)*bucketMicros + rng.Int63n(5*bucketMicros)}
				m.Insert([]byte(r.key), r.time, []byte(r.payload))
				model = append(model, r)
			}
			key := fmt.Sprint(rng.Intn(20))
			m.Each(m.keys.Find([]byte(key)), func(row int32) bool { m.SetFlag(row); return true })
			for i := range model {
				model[i].flag = model[i].flag || model[i].key == key
			}
			through := int64(batch)*bucketMicros - rng.Int63n(bucketMicros)
			var gone []string
			m.Evict(through, func(row int32) { gone = append(gone, string(m.Payload(row))) })
			var want []string
			model = slices.DeleteFunc(model, func(r modelRow) bool {
				if r.time <= through {
					want = append(want, r.payload)
				}
				return r.time <= through
			})
			slices.Sort(gone)
			slices.Sort(want)
			if !slices.Equal(gone, want) {
				t.Fatalf("seed %d batch %d: evicted %v, want %v", seed, batch, gone, want)
			}
			if err := replay.ApplyChanges(m.AppendChanges(nil)); err != nil {
				t.Fatalf("seed %d batch %d: %v", seed, batch, err)
			}
			if batch%7 == 6 {
				restored := NewMultimap()
				if err := restored.Restore(m.AppendSnapshot(nil)); err != nil {
					t.Fatalf("seed %d batch %d: %v", seed, batch, err)
				}
				m = restored
			}
			var rows []string
			for _, r := range model {
				rows = append(rows, fmt.Sprintf("%s %d %t %s", r.key, r.time, r.flag, r.payload))
			}
			slices.Sort(rows)
			if got := contents(m); !slices.Equal(got, rows) {
				t.Fatalf("seed %d batch %d: got %v, want %v", seed, batch, got, rows)
			}
			if got := contents(replay); !slices.Equal(got, rows) {
				t.Fatalf("seed %d batch %d: replayed %v, want %v", seed, batch, got, rows)
			}
			if m.Len() != len(model) {
				t.Fatalf("seed %d batch %d: Len %d, want %d", seed, batch, m.Len(), len(model))
			}
		}
	}
}

func TestMultimapRowsWithoutKeyOrTime(t *testing.T) {
	m := NewMultimap()
	m.InsertAt(-1, 5, []byte("no key"))
	m.Insert([]byte("k"), NoTime, []byte("for ever"))
	m.Each(m.keys.Find(nil), func(int32) bool { t.Error("a row without a key was found"); return true })
	m.Evict(1<<62, nil)
	if got, want := contents(m), []string{fmt.Sprintf("k %d false for ever", NoTime)}; !slices.Equal(got, want) {
		t.Fatalf("got %v, want %v", got, want)
	}
}

func FuzzMultimap(f *testing.F) {
	m := NewMultimap()
	m.Insert([]byte("a"), 1, []byte("x"))
	m.Insert([]byte("b"), 2, []byte("y"))
	f.Add(m.AppendChanges(nil))
	m.Evict(1, nil)
	f.Add(m.AppendChanges(nil))
	f.Add(m.AppendSnapshot(nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := NewMultimap().ApplyChanges(b); err == nil {
			return
		}
		_ = NewMultimap().Restore(b)
	})
}
