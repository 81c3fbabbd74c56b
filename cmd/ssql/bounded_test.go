//go:build linux

package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

var (
	boundedCases = flag.Int("bounded", 100, "how many mutated inputs and statements TestBounded tries; more than 100 get more time each")
	boundedSeed  = flag.Uint64("bounded_seed", 1, "what the cases of TestBounded are drawn with")
	boundedFrom  = flag.Int("bounded_from", 0, "the first case")
	boundedKeep  = flag.String("bounded_keep", "", "a folder for the cases that failed")
)

const (
	// boundedBytes is the memory that a process is told to have (GOMEMLIMIT), and that of it may be
	// resident at any moment, the pages of the program included, as a control group counts them.
	boundedBytes = 512 << 20
	// boundedData is what it can map for itself at all (ulimit -d): twice as much, since stacks, arenas
	// and what a heap has given back are mapped and not used; it bounds itself below. A limit of
	// addresses (ulimit -v) of this size is none for a Go program, which reserves 600 MB of them at its
	// start, and a control group needs root.
	boundedData = 2 * boundedBytes
	// boundedAnswer is how long a process may go on after Ctrl-C, on a machine that is busy.
	boundedAnswer = 20 * time.Second
	// boundedTogether is how many cases share a process.
	boundedTogether = 5
)

// boundedTime is how long the cases of a process may run before Ctrl-C: most come nowhere near.
func boundedTime() time.Duration {
	if *boundedCases > 100 {
		return 20 * time.Second
	}
	return 3 * time.Second
}

// TestBounded runs the binary with 512 MiB of memory on inputs of up to 2 MB and statements of
// up to 2 KB that are drawn and mutated (bounded_case_test.go). Whatever they are, the process
// goes on to the next statement, or ends at Ctrl-C. The long form is
//
//	go test ./cmd/ssql -run Bounded -bounded 2000 -timeout 2h
func TestBounded(t *testing.T) {
	t.Logf("-bounded_seed %d", *boundedSeed)
	for first := *boundedFrom; first < *boundedFrom+*boundedCases; first += boundedTogether {
		t.Run(strconv.Itoa(first), func(t *testing.T) {
			t.Parallel()
			var cases []*boundedCase
			for n := first; n < min(first+boundedTogether, *boundedFrom+*boundedCases); n++ {
				cases = append(cases, drawCase(*boundedSeed, n))
			}
			for len(cases) > 0 {
				cases = cases[runBounded(t, cases):]
			}
		})
	}
}

// runBounded runs cases in one process and returns how many it came to.
func runBounded(t *testing.T, cases []*boundedCase) (done int) {
	dir := t.TempDir()
	for _, c := range cases {
		if err := c.write(dir); err != nil {
			t.Fatal(err)
		}
	}
	script := ".bail off\n"
	for i, c := range cases {
		script += fmt.Sprintf("SELECT 'case %d';\n%s\n", i, c.script)
	}
	if err := os.WriteFile(filepath.Join(dir, "script.sql"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	p := startBounded(t, dir, "-csv", "lab.duckdb", "script.sql")
	fault := p.wait(boundedTime())
	last := p.output.last()
	if fault != "" {
		c := cases[last]
		t.Errorf("case %d: %s\n%s\n%s", c.number, fault, c.script, p.output.tail())
		if *boundedKeep != "" {
			c.keep(t, *boundedKeep)
		}
	}
	if fault != "" || p.interrupted {
		return last + 1
	}
	return len(cases)
}

// bounded is an ssql with little memory.
type bounded struct {
	cmd         *exec.Cmd
	output      lastOutput
	interrupted bool
	resident    atomic.Int64 // the most that was in memory
}

// startBounded starts ssql in a folder.
func startBounded(t *testing.T, dir string, args ...string) *bounded {
	t.Helper()
	p := &bounded{}
	command := fmt.Sprintf("ulimit -d %d; exec \"$0\" \"$@\"", boundedData>>10)
	p.cmd = exec.Command("sh", append([]string{"-c", command, filepath.Join(binary, "ssql")}, args...)...)
	p.cmd.Dir, p.cmd.Stdout, p.cmd.Stderr = dir, &p.output, &p.output
	p.cmd.Env = append(os.Environ(), "HOME="+dir, "TMPDIR="+dir, "GOTRACEBACK=crash", "GOMEMLIMIT="+strconv.Itoa(boundedBytes))
	p.cmd.WaitDelay = time.Second
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return p
}

// died are the words of a process that did not end by itself, or of a fault nobody thought of.
var died = regexp.MustCompile(`(?m)^(fatal error|panic|runtime:|SIG[A-Z]+|terminate called).*|.*E_INTERNAL.*`)

// wait returns what is wrong with how the process ended; "" is nothing.
func (p *bounded) wait(most time.Duration) string {
	ended := make(chan error, 1)
	go func() { ended <- p.cmd.Wait() }()
	over := make(chan struct{})
	defer close(over)
	go p.look(over)
	var err error
	select {
	case err = <-ended:
	case <-time.After(most):
		p.interrupted = true
		p.cmd.Process.Signal(syscall.SIGINT)
		select {
		case err = <-ended:
		case <-time.After(boundedAnswer):
			p.cmd.Process.Signal(syscall.SIGQUIT) // prints where it is
			<-ended
			return fmt.Sprintf("goes on for %v after Ctrl-C", boundedAnswer)
		}
	}
	if words := died.FindString(p.output.tail()); words != "" {
		return words
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return err.Error()
	}
	status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if status.Signaled() {
		return fmt.Sprintf("ended by %v", status.Signal())
	}
	if n := p.resident.Load(); n > boundedBytes {
		return fmt.Sprintf("had %d MiB in memory", n>>20)
	}
	return ""
}

// look reads what was in memory until the process is over. What is there for less than the time
// between two looks at its end is missed; ulimit does not miss it.
func (p *bounded) look(over <-chan struct{}) {
	name := fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid)
	for {
		select {
		case <-over:
			return
		case <-time.After(5 * time.Millisecond):
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return
		}
		if found := residentLine.FindSubmatch(text); found != nil {
			kib, _ := strconv.ParseInt(string(found[1]), 10, 64)
			p.resident.Store(max(p.resident.Load(), kib<<10))
		}
	}
}

var residentLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// lastOutput keeps the end of what a process prints, and the newest line "case N".
type lastOutput struct {
	mu   sync.Mutex
	text []byte
	at   int
}

const outputKept = 256 << 10

var caseLine = regexp.MustCompile(`(?m)^case (\d+)$`)

func (o *lastOutput) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.text = append(o.text, b...)
	// A line may come in two writes.
	if found := caseLine.FindAllSubmatch(o.text[max(0, len(o.text)-len(b)-20):], -1); found != nil {
		o.at, _ = strconv.Atoi(string(found[len(found)-1][1]))
	}
	if len(o.text) > 2*outputKept {
		o.text = append(o.text[:0], o.text[len(o.text)-outputKept:]...)
	}
	return len(b), nil
}

func (o *lastOutput) last() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.at
}

// tail is the end of the output, the middle of long lines left out.
func (o *lastOutput) tail() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	lines := bytes.Split(o.text, []byte("\n"))
	for i, line := range lines {
		if len(line) > 600 {
			lines[i] = append(append(append([]byte{}, line[:300]...), " ... "...), line[len(line)-300:]...)
		}
	}
	return string(bytes.Join(lines[max(0, len(lines)-3000):], []byte("\n")))
}
