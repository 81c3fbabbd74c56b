package duck

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestGroupFiles: both kinds of control groups, and all that hold the process's.
func TestGroupFiles(t *testing.T) {
	got := groupFiles("9:name=systemd:/a\n4:cpu,memory:/docker/b\n0::/user/c\n")
	for _, want := range []string{
		"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
		"/sys/fs/cgroup/memory/docker/b/memory.limit_in_bytes", "/sys/fs/cgroup/memory/docker/memory.limit_in_bytes",
		"/sys/fs/cgroup/user/c/memory.max", "/sys/fs/cgroup/user/memory.max",
	} {
		if !slices.Contains(got, want) {
			t.Errorf("%s is not looked at: %q", want, got)
		}
	}
	if len(got) != 6 {
		t.Errorf("%q", got)
	}
}

// TestProcessBytes: a process knows the limits that it is started with.
func TestProcessBytes(t *testing.T) {
	if os.Getenv("SSQL_TEST_BYTES") != "" {
		os.Stdout.WriteString("bytes=" + strconv.FormatInt(ProcessBytes(), 10) + "\n")
		return
	}
	for _, c := range []struct {
		limit    string
		from, to int64
	}{
		{"ulimit -d 524288", 512 << 20, 512 << 20},
		{"ulimit -v 4194304", 1 << 30, 3 << 30},
		{"export GOMEMLIMIT=300MiB", 300 << 20, 300 << 20},
	} {
		cmd := exec.Command("sh", "-c", c.limit+`; exec "$0" -test.run '^TestProcessBytes$'`, os.Args[0])
		cmd.Env = append(os.Environ(), "SSQL_TEST_BYTES=1")
		out, err := cmd.CombinedOutput()
		_, rest, _ := strings.Cut(string(out), "bytes=")
		number, _, _ := strings.Cut(rest, "\n")
		n, parseErr := strconv.ParseInt(number, 10, 64)
		if err != nil || parseErr != nil || n < c.from || n > c.to {
			t.Errorf("%s: %d, want %d to %d: %v\n%s", c.limit, n, c.from, c.to, err, out)
		}
	}
}
