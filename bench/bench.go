package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// bench is one run of the program.
type bench struct {
	options
	base, head string // of a pair; "" for ssql against DuckDB
}

// run measures the workloads one after the other.
func (b *bench) run(names []string) error {
	if err := os.MkdirAll(b.dir, 0o755); err != nil {
		return err
	}
	var programs []program
	if b.base == "" {
		binary, err := b.build(".", "head")
		if err != nil {
			return err
		}
		programs = []program{ssqlProgram("ssql", binary), duckdbProgram()}
	} else {
		for _, p := range []struct{ name, of string }{{"head", b.head}, {"base", b.base}} {
			binary, err := b.binaryOf(p.of, p.name)
			if err != nil {
				return err
			}
			programs = append(programs, ssqlProgram(p.name, binary))
		}
	}
	printHead(programs)
	for _, name := range names {
		w, err := findWorkload(name)
		if err != nil {
			return err
		}
		if err := b.measure(w, programs); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// measure runs one workload with both programs in turn, and prints its line.
func (b *bench) measure(w *workload, programs []program) error {
	p, err := b.place(w)
	if err != nil {
		return err
	}
	var sides []*side
	for i := range programs {
		s, err := newSide(&programs[i], w, p)
		if err != nil {
			return err
		}
		defer os.RemoveAll(s.place.out)
		sides = append(sides, s)
	}
	rounds := b.rounds
	if b.short {
		rounds = 0
	}
	if err := takeTurns(rounds, sides...); err != nil {
		return err
	}
	out, err := exec.Command("/proc/self/exe", compareCommand, sides[0].database(), sides[1].database()).CombinedOutput()
	if err != nil {
		return fmt.Errorf("comparing the results: %w\n%s", err, out)
	}
	printLine(w, p.rows, string(out), sides)
	return nil
}

// place makes the data of a workload, unless it is there.
func (b *bench) place(w *workload) (place, error) {
	p := place{rows: w.rows, parts: w.parts}
	if b.short {
		p.rows, p.parts = min(p.rows, shortRows), min(p.parts, shortParts)
	}
	if b.rows > 0 {
		p.rows = b.rows
	}
	if b.parts > 0 {
		p.parts = b.parts
	}
	statements, err := w.statements("data.sql")
	if err != nil {
		return place{}, err
	}
	p.data = filepath.Join(b.dir, fmt.Sprintf("data-%s-%d-%d", digest(statements), p.rows, p.parts))
	p.out = filepath.Join(b.dir, "out")
	if err := makeData(p, statements); err != nil {
		return place{}, fmt.Errorf("making data: %w", err)
	}
	return p, nil
}

// binaryOf returns the binary that text names: a file, or a revision of this
// repository, which is built.
func (b *bench) binaryOf(text, name string) (string, error) {
	if info, err := os.Stat(text); err == nil && info.Mode().IsRegular() {
		return filepath.Abs(text)
	}
	if text == "." {
		return b.build(".", name)
	}
	tree := filepath.Join(b.dir, "tree-"+name)
	if err := runQuietly("git", "worktree", "add", "--detach", "--force", tree, text); err != nil {
		return "", err
	}
	binary, err := b.build(tree, name)
	if e := runQuietly("git", "worktree", "remove", "--force", tree); err == nil {
		err = e
	}
	return binary, err
}

// build builds the ssql of a source tree.
func (b *bench) build(tree, name string) (string, error) {
	binary, err := filepath.Abs(filepath.Join(b.dir, "ssql-"+name))
	if err != nil {
		return "", err
	}
	return binary, runQuietly("go", "build", "-C", tree, "-o", binary, "./cmd/ssql")
}

func runQuietly(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("running %s %s: %w\n%s", name, args[0], err, out)
	}
	return nil
}
