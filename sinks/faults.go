package sinks

// Faults break a transactional sink on purpose, for tests: the failure drill shows what
// the marker is good for. The zero value breaks nothing.
type Faults struct {
	// Unguarded makes the sink forget its markers: Head finds none, and a batch that
	// is stored already is stored again.
	Unguarded bool
	// BeforeCommit and AfterCommit, if set, are called around the sink's commit. Their
	// error ends Write, as a crash of the process there would.
	BeforeCommit, AfterCommit func(b *Batch) error
}
