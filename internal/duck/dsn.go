package duck

import (
	"math"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// memoryBytesMax is the most that DuckDB gets unless the user says otherwise.
const memoryBytesMax = 2 << 30

// dsn returns the driver's name of an instance in memory with its settings. None
// makes DuckDB reach for the network.
func dsn(o Options) string {
	v := url.Values{}
	v.Set("autoinstall_known_extensions", "false")
	v.Set("autoload_known_extensions", "false")
	v.Set("allow_community_extensions", "false")
	v.Set("memory_limit", strconv.FormatInt(o.MemoryBytes/1024, 10)+"KiB")
	// The default of 16 MB puts pauses of 140 to 320 ms between batches;
	// the log is written back when the file is released.
	v.Set("wal_autocheckpoint", "1GB")
	if o.Threads > 0 {
		v.Set("threads", strconv.Itoa(o.Threads))
	}
	return "?" + v.Encode()
}

// defaultMemoryBytes returns 25 % of what the process may use.
func defaultMemoryBytes() int64 { return min(ProcessBytes()/4, memoryBytesMax) }

// ProcessBytes returns how much memory the process may use: what GOMEMLIMIT, its control
// group, its limits (ulimit -d, and -v, of which a quarter is left for addresses without memory) and
// the machine leave it. Where none can be found out it is math.MaxInt64.
func ProcessBytes() int64 { return processBytes() }

// processBytes looks once: what the process sets its collector to later is not meant.
var processBytes = sync.OnceValue(func() int64 {
	limit := debug.SetMemoryLimit(-1) // GOMEMLIMIT
	groups, _ := os.ReadFile("/proc/self/cgroup")
	for _, name := range groupFiles(string(groups)) {
		if text, err := os.ReadFile(name); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				limit = min(limit, n)
			}
		}
	}
	limit = min(limit, limitOf(syscall.RLIMIT_DATA))
	if addresses := limitOf(syscall.RLIMIT_AS); addresses < math.MaxInt64 {
		// A Go program reserves 600 MB of addresses before it begins.
		limit = min(limit, max(0, addresses-reservedBytes())/4*3)
	}
	if n, ok := machineBytes(); ok {
		limit = min(limit, n)
	}
	return limit
})

// limitOf returns a limit of the process, math.MaxInt64 for none.
func limitOf(resource int) int64 {
	var l syscall.Rlimit
	if err := syscall.Getrlimit(resource, &l); err != nil || uint64(l.Cur) > math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(l.Cur)
}

// reservedBytes returns how many addresses the process has, 0 where the system has no /proc.
func reservedBytes() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _, _ := strings.Cut(string(text), " ")
	n, err := strconv.ParseInt(pages, 10, 64)
	if err != nil {
		return 0
	}
	return n * int64(os.Getpagesize())
}

// groupFiles are where the limits of control groups stand, given what /proc/self/cgroup says: in a
// container at the root, else below the name of the group or of one that holds it.
func groupFiles(groups string) []string {
	const root, first, second = "/sys/fs/cgroup", "memory.limit_in_bytes", "memory.max"
	names := []string{filepath.Join(root, second), filepath.Join(root, "memory", first)}
	for _, line := range strings.Split(groups, "\n") {
		parts := strings.SplitN(line, ":", 3)
		if len(parts) < 3 {
			continue
		}
		top, file := root, second
		if parts[1] != "" {
			top, file = filepath.Join(root, "memory"), first
			if !slices.Contains(strings.Split(parts[1], ","), "memory") {
				continue
			}
		}
		for dir := filepath.Clean("/" + parts[2]); dir != "/"; dir = filepath.Dir(dir) {
			names = append(names, filepath.Join(top, dir, file))
		}
	}
	return names
}

// machineBytes reads the size of the memory; ok is false where the system has no
// /proc.
func machineBytes() (n int64, ok bool) {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0, false
	}
	_, rest, ok := strings.Cut(string(text), "MemTotal:")
	if !ok {
		return 0, false
	}
	fields := strings.Fields(rest)
	if len(fields) == 0 {
		return 0, false
	}
	kib, err := strconv.ParseInt(fields[0], 10, 64)
	return kib * 1024, err == nil
}
