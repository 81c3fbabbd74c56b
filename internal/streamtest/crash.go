package streamtest

import (
	"fmt"
	"strconv"

	"ssql/exec"
	"ssql/internal/vfs"
)

// crash is what the verb of that name armed.
type crash struct {
	query string
	point string // before-plan, planned, written; "" with write
	write int
	mode  vfs.CrashMode
	// Where it happened: filled in by the crash.
	reached string
	batch   int64
}

// crash arms a crash for the next run of a query.
func (h *harness) crash(st *Step) ([]string, error) {
	q, err := h.query(st.Name())
	if err != nil {
		return nil, err
	}
	c := &crash{query: q.name, point: st.Options["at"], mode: vfs.KeepSome}
	switch unsynced := st.Options["unsynced"]; unsynced {
	case "":
	case "0":
		c.mode = vfs.LoseAll
	case "100":
		c.mode = vfs.KeepAll
	default:
		if _, err := strconv.ParseUint(unsynced, 10, 8); err != nil {
			return nil, scriptError("expected unsynced=PERCENT, found %q", unsynced)
		}
	}
	switch c.point {
	case "before-plan", "planned", "written":
	case "":
		if c.write, err = strconv.Atoi(st.Options["write"]); err != nil || c.write < 1 {
			return nil, scriptError("expected write=K with K from 1, found %q", st.Options["write"])
		}
	default:
		return nil, scriptError("expected at=before-plan, planned or written, found %q", c.point)
	}
	h.armed = c
	return nil, nil
}

// driveArmed drives a query into the crash that was armed for it, if any.
func (h *harness) driveArmed(q *query, trigger exec.Trigger) error {
	c := h.armed
	if c == nil || c.query != q.name {
		return q.drive(trigger)
	}
	switch {
	case c.point == "before-plan":
		// The query is opened first: opening writes, too.
		if q.running == nil {
			if err := q.open(); err != nil {
				return err
			}
		}
		h.fs.Arm(vfs.Fault{At: 1, Err: vfs.ErrCrashed})
	case c.point == "":
		h.fs.Arm(vfs.Fault{At: c.write, Err: vfs.ErrCrashed})
	}
	err := q.drive(trigger)
	h.armed = nil
	if !crashed(err) {
		h.fs.Arm(vfs.Fault{})
		if err == nil {
			err = scriptError("the run ended before the crash")
		}
		return err
	}
	h.reboot(c.mode)
	switch {
	case c.reached != "":
		return fmt.Errorf("crashed at %s in batch %d", c.reached, c.batch)
	case c.point != "":
		return fmt.Errorf("crashed at %s", c.point)
	}
	return fmt.Errorf("crashed at write %d", c.write)
}

// reach is called by the sink; it crashes where a script wants it.
func (h *harness) reach(point string, batch int64) error {
	c := h.armed
	if c == nil || c.point != point || c.reached != "" {
		return nil
	}
	c.reached, c.batch = point, batch
	h.fs.Arm(vfs.Fault{At: 1, Err: vfs.ErrCrashed, Sticky: true})
	return vfs.ErrCrashed
}

// reboot replaces the disk by what a crash left, and stops every query.
func (h *harness) reboot(mode vfs.CrashMode) (wereRunning []*query) {
	for _, q := range h.order {
		if q.running != nil {
			wereRunning = append(wereRunning, q)
		}
		q.stop()
	}
	h.disk = h.disk.CrashClone(h.rng, mode)
	h.fs = vfs.NewInjector(h.disk, vfs.Fault{})
	h.reboots++
	return wereRunning
}

// recover goes on behind the crash of a sweep: it starts q and what else was running.
func (h *harness) recover(q *query) error {
	for _, other := range append(h.reboot(h.o.CrashMode), q) {
		if other.running != nil {
			continue
		}
		if err := other.open(); err != nil {
			return fmt.Errorf("opening query %q after the crash: %w", other.name, err)
		}
	}
	return nil
}

// goOn runs a query again whose run a sweep has crashed. next is the batch that was due
// when its run began.
func (q *query) goOn(trigger exec.Trigger, next int64) error {
	if err := q.h.recover(q); err != nil {
		return err
	}
	if r := q.running.Resumed(); trigger.Kind == exec.Once && r.NextBatch > next {
		return nil // the one batch was committed before the crash
	}
	return q.running.Run(q.h.ctx, trigger)
}
