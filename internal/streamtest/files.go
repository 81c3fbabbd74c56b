package streamtest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Load reads and parses a file.
func Load(path string) (*Script, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return Parse(path, string(text))
}

// Files returns the scripts that paths name: files, and all *.test below folders.
func Files(paths ...string) ([]string, error) {
	var out []string
	for _, p := range paths {
		info, err := os.Stat(p)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() {
			out = append(out, p)
			continue
		}
		err = filepath.WalkDir(p, func(name string, d fs.DirEntry, err error) error {
			if err == nil && !d.IsDir() && strings.HasSuffix(name, ".test") {
				out = append(out, name)
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.Sort(out)
	return slices.Compact(out), nil
}

// Check runs a file and returns the report of its first failure as an error, for tests.
func Check(ctx context.Context, path string, o Options) error {
	s, err := Load(path)
	if err != nil {
		return err
	}
	if r := Run(ctx, s, o); len(r.Failures) > 0 {
		return errors.New(r.Report(r.Failures[0]))
	}
	return nil
}

// Command is `ssql test`.
type Command struct {
	Out     io.Writer
	Rewrite bool // put the answers into the files instead of comparing
	Sweep   bool // also run the sweeps
	Options Options
}

// Run runs the scripts and folders of paths, reports what fails, and ends with the line
// `N passed, N failed`. The error says that there was nothing to run or that a file
// could not be written.
func (c *Command) Run(ctx context.Context, paths []string) (failed int, err error) {
	names, err := Files(paths...)
	if err != nil {
		return 0, err
	}
	if len(names) == 0 {
		return 0, fmt.Errorf("there is no *.test in %s", strings.Join(paths, ", "))
	}
	passed := 0
	for _, name := range names {
		report, err := c.file(ctx, name)
		if err != nil {
			return failed, err
		}
		if report == "" {
			passed++
			continue
		}
		failed++
		if _, err := fmt.Fprintf(c.Out, "FAIL %s\n", strings.TrimRight(report, "\n")); err != nil {
			return failed, err
		}
	}
	_, err = fmt.Fprintf(c.Out, "%d passed, %d failed\n", passed, failed)
	return failed, err
}

// file returns the report of a file that fails, "" for one that passes.
func (c *Command) file(ctx context.Context, name string) (report string, err error) {
	s, err := Load(name)
	var fault *Error
	if errors.As(err, &fault) {
		return fault.Error(), nil
	}
	if err != nil {
		return "", err
	}
	r := Run(ctx, s, c.Options)
	if c.Rewrite {
		if text := r.Rewrite(); text != s.Format() {
			return "", os.WriteFile(name, []byte(text), 0o644)
		}
	}
	for _, f := range r.Failures {
		if !c.Rewrite || f.Err != nil {
			return r.Report(f), nil
		}
	}
	if c.Sweep && s.NoSweep == "" {
		return c.sweep(ctx, r), nil
	}
	return "", nil
}

func (c *Command) sweep(ctx context.Context, base *Result) string {
	for _, sw := range Sweeps() {
		sw.Options.OpenSession = c.Options.OpenSession
		if r := Run(ctx, base.Script, sw.Options); len(r.Failures) > 0 {
			return "sweep " + sw.Name + ": " + r.Report(r.Failures[0])
		}
	}
	if base.Script.CanCrash() {
		if err := CrashSweep(ctx, base, 0); err != nil {
			return "sweep crash: " + err.Error()
		}
	}
	return ""
}
