package duck

import (
	"math"
	"net/url"
	"os"
	"path/filepath"
	"runtime/debug"
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
// group, its limits (ulimit -v, of which a quarter is left for addresses without memory) and the
// machine leave it. Where none can be found out it is math.MaxInt64.
func ProcessBytes() int64 { return processBytes() }

// processBytes looks once: what the process sets its collector to later is not meant.
var processBytes = sync.OnceValue(func() int64 {
	limit := debug.SetMemoryLimit(-1) // GOMEMLIMIT
	for _, name := range groupFiles() {
		if text, err := os.ReadFile(name); err == nil {
			if n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64); err == nil {
				limit = min(limit, n)
			}
		}
	}
	var addresses syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &addresses); err == nil && addresses.Cur < math.MaxInt64 {
		limit = min(limit, int64(addresses.Cur/4*3))
	}
	if n, ok := machineBytes(); ok {
		limit = min(limit, n)
	}
	return limit
})

// groupFiles are where the limit of the control group stands: in a container at the root, else
// below the name of the group.
func groupFiles() []string {
	names := []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"}
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return names
	}
	for _, line := range strings.Split(string(text), "\n") {
		if parts := strings.SplitN(line, ":", 3); len(parts) == 3 && parts[1] == "" {
			for dir := filepath.Clean("/" + parts[2]); dir != "/"; dir = filepath.Dir(dir) {
				names = append(names, filepath.Join("/sys/fs/cgroup", dir, "memory.max"))
			}
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
