package state

// Heap holds byte strings that change size, under handles. Handle 0 is the empty
// string. The strings lie in one arena with room to grow; replaced ones leave gaps
// that are closed once they outweigh the rest.
//
// The zero value is an empty heap.
type Heap struct {
	arena []byte
	refs  []blobRef // by handle-1
	free  []uint64  // handles to use again
	gaps  int       // bytes of arena that belong to no handle
}

type blobRef struct {
	start, len, cap int
}

const heapGapsMin = 1 << 16

// Blob returns the bytes of a handle. They must not be changed and are valid until
// the next change of the heap.
func (h *Heap) Blob(handle uint64) []byte {
	if handle == 0 {
		return nil
	}
	r := h.refs[handle-1]
	end := r.start + r.len
	return h.arena[r.start:end:end]
}

// SetBlob stores a copy of b under a handle, a new one for handle 0, and returns
// the handle. b may be a Blob of the same heap.
func (h *Heap) SetBlob(handle uint64, b []byte) uint64 {
	handle, r := h.ref(handle)
	if len(b) > r.cap {
		h.move(r, len(b), 0)
	}
	copy(h.arena[r.start:r.start+len(b)], b)
	r.len = len(b)
	return handle
}

// Extend appends b to the bytes of a handle, a new one for handle 0, and returns
// the handle. Its cost does not grow with what is there.
func (h *Heap) Extend(handle uint64, b []byte) uint64 {
	handle, r := h.ref(handle)
	size := r.len + len(b)
	if size > r.cap {
		h.move(r, size+size/2, r.len)
	}
	copy(h.arena[r.start+r.len:r.start+size], b)
	r.len = size
	return handle
}

// Free gives up a handle.
func (h *Heap) Free(handle uint64) {
	if handle == 0 {
		return
	}
	r := &h.refs[handle-1]
	h.gaps += r.cap
	*r = blobRef{}
	h.free = append(h.free, handle)
}

// Bytes returns the memory that is held, in bytes.
func (h *Heap) Bytes() int64 {
	return int64(cap(h.arena)) + 24*int64(cap(h.refs)) + 8*int64(cap(h.free))
}

// Reset forgets everything and keeps the memory.
func (h *Heap) Reset() {
	h.arena, h.refs, h.free, h.gaps = h.arena[:0], h.refs[:0], h.free[:0], 0
}

func (h *Heap) ref(handle uint64) (uint64, *blobRef) {
	if handle == 0 {
		if n := len(h.free); n > 0 {
			handle, h.free = h.free[n-1], h.free[:n-1]
		} else {
			h.refs = append(h.refs, blobRef{})
			handle = uint64(len(h.refs))
		}
	}
	return handle, &h.refs[handle-1]
}

// move gives r room for size bytes at the end of the arena and takes its first keep
// bytes along.
func (h *Heap) move(r *blobRef, size, keep int) {
	h.gaps += r.cap
	if h.gaps > heapGapsMin && h.gaps > len(h.arena)/2 {
		h.closeGaps(r)
	}
	size = (size + 7) &^ 7
	start := len(h.arena)
	h.arena = append(h.arena, make([]byte, size)...)
	copy(h.arena[start:], h.arena[r.start:r.start+keep])
	r.start, r.cap = start, size
}

// closeGaps copies what is alive to a new arena. The room of r, which is about to be
// given up, shrinks to its bytes and counts as a gap again.
func (h *Heap) closeGaps(moving *blobRef) {
	moving.cap = moving.len
	arena := make([]byte, 0, len(h.arena)-h.gaps+moving.cap+heapGapsMin)
	for i := range h.refs {
		r := &h.refs[i]
		start := len(arena)
		arena = append(arena, h.arena[r.start:r.start+r.cap]...)
		r.start = start
	}
	h.arena, h.gaps = arena, moving.cap
}
