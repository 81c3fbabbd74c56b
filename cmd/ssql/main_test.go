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
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "rewrite the transcripts with what the commands print now")

// binary is the folder of the ssql that the tests run; TestMain builds it once.
var binary string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(buildAndRun(m))
}

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "ssql-bin-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = dir
	build := exec.Command("go", "build", "-o", filepath.Join(dir, "ssql"), ".")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "building ssql: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// TestTranscripts runs every testdata/*.txtar: files to work on, and under
// "transcript" commands with what they must print. A line "$ command" is run by
// sh in a folder that holds the files; below it stand its standard output, the
// lines of its standard error after "2> ", and its status if it is not 0.
func TestTranscripts(t *testing.T) {
	paths, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no transcripts: %v", err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			runTranscript(t, path)
		})
	}
}

func runTranscript(t *testing.T, path string) {
	archive, err := txtar.ParseFile(path)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	at := -1
	for i, f := range archive.Files {
		if f.Name == "transcript" {
			at = i
			continue
		}
		name := filepath.Join(dir, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if at < 0 {
		t.Fatal("no file called transcript")
	}
	want := string(archive.Files[at].Data)
	var got strings.Builder
	for _, line := range strings.Split(want, "\n") {
		if command, ok := strings.CutPrefix(line, "$ "); ok {
			got.WriteString(line + "\n" + runCommand(t, dir, command))
		}
	}
	if got.String() == want {
		return
	}
	if *update {
		archive.Files[at].Data = []byte(got.String())
		if err := os.WriteFile(path, txtar.Format(archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Errorf("got:\n%s\nwant:\n%s", got.String(), want)
}

// examples is the folder of the examples, for commands as $EXAMPLES.
func examples(t *testing.T) string {
	dir, err := filepath.Abs("../../examples")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// runCommand runs a command line and returns what it printed, as a transcript shows
// it.
func runCommand(t *testing.T, dir, command string) string {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PATH="+binary+":"+os.Getenv("PATH"), "HOME="+dir, "EXAMPLES="+examples(t), "TZ=America/New_York")
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	started := time.Now()
	err := cmd.Run()
	if took := time.Since(started); took > 30*time.Second {
		t.Errorf("%s took %v", command, took)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	out := stdout.String()
	if out != "" && !strings.HasSuffix(out, "\n") {
		out += "\n"
	}
	for _, line := range strings.SplitAfter(stderr.String(), "\n") {
		if line != "" {
			out += "2> " + strings.TrimSuffix(line, "\n") + "\n"
		}
	}
	if exit != nil {
		out += fmt.Sprintf("exit %d\n", exit.ExitCode())
	}
	out = strings.ReplaceAll(out, examples(t), "$EXAMPLES")
	out = strings.ReplaceAll(out, dir, "$WORK")
	return trailingBlanks.ReplaceAllString(out, "")
}

// trailingBlanks are cut, so that editors which do the same break nothing.
var trailingBlanks = regexp.MustCompile(`(?m)[ \t]+$`)
