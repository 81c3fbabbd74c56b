package files

import "golang.org/x/sys/unix"

// watch tells whether anything happened in a folder, with one system call. The
// kernel queues an event within the call that changes a file, so what was written
// before quiet is called is never missed, as it could be with a goroutine that
// delivers events.
//
// It knows only what this machine does: files of a network file system may change
// without an event.
type watch struct {
	dir string
	fd  int // -1: there is no watch, and quiet is never true
}

func newWatch(dir string) *watch {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		fd = -1 // the system's limit of watches, for example: look each time
	}
	w := &watch{dir: dir, fd: fd}
	w.arm()
	return w
}

// arm watches the folder that is at the path now; it may have been made anew.
func (w *watch) arm() {
	if w.fd < 0 {
		return
	}
	const events = unix.IN_CREATE | unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_MOVED_TO | unix.IN_MOVED_FROM |
		unix.IN_DELETE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF
	if _, err := unix.InotifyAddWatch(w.fd, w.dir, events); err != nil {
		w.close()
	}
}

// quiet reports that nothing happened since the last call.
func (w *watch) quiet() bool {
	if w.fd < 0 {
		return false
	}
	var events [16 << 10]byte
	for quiet := true; ; {
		n, err := unix.Read(w.fd, events[:])
		if n > 0 {
			quiet = false
			continue
		}
		if err == unix.EINTR {
			continue
		}
		if err != unix.EAGAIN {
			w.close()
			return false
		}
		if !quiet {
			w.arm()
		}
		return quiet
	}
}

func (w *watch) close() {
	if w.fd >= 0 {
		unix.Close(w.fd)
		w.fd = -1
	}
}
