package op

import "ssql/state"

// sessionKeys finds the stored sessions of a key. A key is there as long as it has one.
type sessionKeys struct {
	table *state.Windows // the keys; the cell is the first session of the key plus 1
	next  []int32        // by session: the next one of its key by start, -1 for none
	of    []int32        // by session: the number of its key
}

func newSessionKeys(words int) (*sessionKeys, error) {
	t, err := state.NewWindows(state.Layout{KeyWords: words, CellWords: 1})
	return &sessionKeys{table: t}, err
}

func (k *sessionKeys) keys() *state.Table { return k.table.Window(0).Tables[0] }

// resolve finds the number of each key, a new one for a key that has no sessions. keys holds
// the words of one key after the other.
func (k *sessionKeys) resolve(keys []uint64, out []int32) {
	k.table.ForgetChanges() // the keys are not written: the sessions hold them
	k.keys().Resolve(keys, out)
}

func (k *sessionKeys) cell(key int32) *uint64 {
	t := k.keys()
	return &t.Words[int(key)*t.Stride+t.KeyWords]
}

// first returns the session of a key that starts first, -1 if it has none.
func (k *sessionKeys) first(key int32) int32 { return int32(*k.cell(key)) - 1 }

// after returns the next session of the same key, -1 if there is none.
func (k *sessionKeys) after(session int32) int32 { return k.next[session] }

// clear forgets the sessions of a key.
func (k *sessionKeys) clear(key int32) { *k.cell(key) = 0 }

// putFirst adds a session that starts before those of its key.
func (k *sessionKeys) putFirst(key, session int32) {
	for int(session) >= len(k.next) {
		k.next, k.of = append(k.next, -1), append(k.of, 0)
	}
	cell := k.cell(key)
	k.next[session], k.of[session] = int32(*cell)-1, key
	*cell = uint64(session + 1)
}

// remove takes a session out, and its key with the last one.
func (k *sessionKeys) remove(session int32) {
	key := k.of[session]
	cell := k.cell(key)
	if at := int32(*cell) - 1; at == session {
		*cell = uint64(k.next[session] + 1)
	} else {
		for k.next[at] != session {
			at = k.next[at]
		}
		k.next[at] = k.next[session]
	}
	if *cell == 0 {
		k.keys().Remove(key)
	}
}
