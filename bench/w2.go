package main

import (
	"bufio"
	"database/sql"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	_ "github.com/marcboeker/go-duckdb" // the DuckDB that ssql links, as the other side
)

// runW2 is the workload of the reference table: rows of 1,000 devices, out of order
// by up to two seconds, 83,000 rows a minute, one file a batch.
func runW2(o options) error {
	data := filepath.Join(o.dir, fmt.Sprintf("w2-%d-%d", o.rows, o.files))
	if err := makeW2(data, o.rows, o.files); err != nil {
		return fmt.Errorf("making data: %w", err)
	}
	binary := filepath.Join(o.dir, "ssql")
	if out, err := exec.Command("go", "build", "-o", binary, "./cmd/ssql").CombinedOutput(); err != nil {
		return fmt.Errorf("building ssql: %w\n%s", err, out)
	}
	script := filepath.Join(o.dir, "w2.sql")
	if err := os.WriteFile(script, []byte(fmt.Sprintf(w2Script, data)), 0o600); err != nil {
		return err
	}
	ssqlDB, duckDB := filepath.Join(o.dir, "ssql.duckdb"), filepath.Join(o.dir, "oneshot.duckdb")
	ssql := &side{
		name:    "ssql",
		prepare: func() error { return removeAll(ssqlDB, ssqlDB+".wal", ssqlDB+".ssql", ssqlDB+".lock") },
		run:     func() (sample, error) { return runProcess(binary, ssqlDB, script) },
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	duck := &side{
		name:    "duckdb",
		prepare: func() error { return removeAll(duckDB, duckDB+".wal") },
		run: func() (sample, error) {
			return runProcess(self, oneShotCommand, duckDB, data)
		},
	}
	if err := takeTurns(o.rounds, ssql, duck); err != nil {
		return err
	}
	if err := compareW2(ssqlDB, duckDB); err != nil {
		return err
	}
	report(o.rows, ssql, duck)
	return nil
}

const w2Script = `
CREATE STREAM events (
  device VARCHAR, ts TIMESTAMP, temp DOUBLE, seq BIGINT,
  WATERMARK FOR ts AS ts - INTERVAL '10' SECOND
) WITH (connector = 'files', path = '%s/*.json', format = 'json', max_files_per_batch = 1);

INSERT INTO per_minute
SELECT window_start, window_end, device, count(*) AS n, sum(seq) AS total
FROM TUMBLE(events, ts, INTERVAL '1' MINUTE)
GROUP BY window_start, window_end, device;
`

// oneShotCommand is the first argument of the process that runs DuckDB.
const oneShotCommand = "duckdb-oneshot"

// oneShot is DuckDB's best: one statement over all files into a table.
func oneShot(args []string) error {
	db, err := sql.Open("duckdb", args[0]+"?threads=2")
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(fmt.Sprintf(`CREATE TABLE per_minute AS
SELECT time_bucket(INTERVAL '1 minute', ts) AS window_start, time_bucket(INTERVAL '1 minute', ts) + INTERVAL '1 minute' AS window_end,
       device, count(*) AS n, CAST(sum(seq) AS BIGINT) AS total
FROM read_ndjson('%s/*.json', columns = {device: 'VARCHAR', ts: 'TIMESTAMP', temp: 'DOUBLE', seq: 'BIGINT'})
GROUP BY ALL`, args[1]))
	return err
}

// compareW2 demands that every window that ssql has emitted equals DuckDB's, and
// that only windows behind the last watermark are missing.
func compareW2(ssqlPath, duckPath string) error {
	db, err := sql.Open("duckdb", ssqlPath)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.Exec(fmt.Sprintf("ATTACH '%s' AS oneshot (READ_ONLY)", duckPath)); err != nil {
		return err
	}
	var rows, differ, missing int
	err = db.QueryRow(`
WITH closed AS (SELECT * FROM oneshot.per_minute WHERE window_end <= (SELECT max(window_end) FROM per_minute))
SELECT (SELECT count(*) FROM per_minute),
       (SELECT count(*) FROM (SELECT * FROM per_minute EXCEPT SELECT * FROM closed)),
       (SELECT count(*) FROM (SELECT * FROM closed EXCEPT SELECT * FROM per_minute))`).Scan(&rows, &differ, &missing)
	if err != nil {
		return err
	}
	if differ+missing > 0 || rows == 0 {
		return fmt.Errorf("results differ: %d rows, %d not DuckDB's, %d missing", rows, differ, missing)
	}
	fmt.Printf("results equal: %d rows\n", rows)
	return nil
}

// makeW2 writes the files once; they depend on rows and files alone.
func makeW2(dir string, rows, files int) error {
	done := filepath.Join(dir, ".done")
	if _, err := os.Stat(done); err == nil {
		return nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	rng := rand.New(rand.NewSource(1))
	start := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	const rowsPerMinute = 83_000
	row := 0
	for f := 0; f < files; f++ {
		file, err := os.Create(filepath.Join(dir, fmt.Sprintf("part-%04d.json", f)))
		if err != nil {
			return err
		}
		w := bufio.NewWriterSize(file, 1<<20)
		for end := rows * (f + 1) / files; row < end; row++ {
			at := start.Add(time.Duration(float64(row) / rowsPerMinute * float64(time.Minute)))
			at = at.Add(-time.Duration(rng.Int63n(int64(2 * time.Second))))
			fmt.Fprintf(w, `{"device":"device-%04d","ts":"%s","temp":%.2f,"seq":%d}`+"\n",
				rng.Intn(1000), at.Format("2006-01-02T15:04:05.000Z"), 15+rng.Float64()*20, row)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		if err := file.Close(); err != nil {
			return err
		}
	}
	return os.WriteFile(done, nil, 0o600)
}
