package files

import "golang.org/x/sys/unix"

// born returns when a file was made, in nanoseconds since 1970; 0 if the file system
// does not say.
func born(fd int, name string) int64 {
	var x unix.Statx_t
	flags := 0
	if name == "" {
		flags = unix.AT_EMPTY_PATH
	}
	if err := unix.Statx(fd, name, flags, unix.STATX_BTIME, &x); err != nil || x.Mask&unix.STATX_BTIME == 0 {
		return 0
	}
	return x.Btime.Sec*1e9 + int64(x.Btime.Nsec)
}

// bornAt is born of a path.
func bornAt(path string) int64 { return born(unix.AT_FDCWD, path) }
