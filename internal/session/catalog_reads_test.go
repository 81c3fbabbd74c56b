package session_test

import (
	"strings"
	"testing"

	"ssql/internal/sqlerr"
)

// A stream is read by what the binder resolves to it. Its name as a column, an alias, a WITH
// entry, a field, a string or a comment is nobody's.
const namesakes = `CREATE STREAM ticks (price INT, s STRUCT(price INT)) WITH (connector = 'memory');
	CREATE STREAM price (id INT) WITH (connector = 'memory');
	CREATE VIEW columns AS SELECT price FROM ticks;
	CREATE VIEW alias AS SELECT price.s FROM ticks AS price;
	INSERT INTO "column" SELECT price FROM ticks;
	INSERT INTO entry WITH price AS (SELECT s.price AS n FROM ticks) SELECT n FROM price;
	INSERT INTO words SELECT 'FROM price' AS w /* FROM price */ FROM ticks -- JOIN price
	;
	CREATE MATERIALIZED VIEW mat AS SELECT s.price AS price FROM ticks;
	EXECUTE STATEMENT SET BEGIN INSERT INTO s1 SELECT price FROM ticks; INSERT INTO s2 SELECT price AS p FROM ticks; END`

const readers = `CREATE VIEW near AS SELECT id FROM price;
	CREATE VIEW far AS SELECT id FROM near;
	INSERT INTO direct SELECT id FROM "PRICE";
	CREATE QUERY through WITH (start = false) AS INSERT INTO through SELECT id FROM far;
	INSERT INTO nested SELECT id FROM (SELECT id FROM price WHERE id > 0);
	CREATE QUERY joined WITH (start = false) AS INSERT INTO joined SELECT t.price FROM ticks t JOIN price ON t.price = price.id`

const listed = `SELECT list(DISTINCT name ORDER BY name) FROM (SELECT name FROM ssql.queries UNION ALL SELECT name FROM ssql.streams)`

func TestNamesakesOfAStreamDoNotReadIt(t *testing.T) {
	w := open(t, t.TempDir())
	if _, err := w.run(namesakes, false); err != nil {
		t.Fatal(err)
	}
	before, _ := w.run(listed, false)
	w.want(`CREATE OR REPLACE STREAM price (id BIGINT) WITH (connector = 'memory')`, "")
	w.want(`DROP STREAM price`, "")
	w.want(`CREATE STREAM price (id INT) WITH (connector = 'memory'); DROP STREAM price CASCADE`, "")
	if after, _ := w.run(listed, false); after != strings.Replace(before, "price, ", "", 1) {
		t.Errorf("before %s, after %s", before, after)
	}
	// Rows of a table whose column is named as a stream can go into a stream.
	w.want(`CREATE STREAM price (id INT) WITH (connector = 'memory'); CREATE TABLE costs (price INT);
		INSERT INTO costs VALUES (4); INSERT INTO price SELECT price FROM costs`, `1 row inserted into stream "price"`)
}

func TestReadersOfAStream(t *testing.T) {
	w := open(t, t.TempDir())
	if _, err := w.run(namesakes+";"+readers, false); err != nil {
		t.Fatal(err)
	}
	if _, err := w.run(`DROP STREAM price`, false); sqlerr.Code(err) != "STREAM_IN_USE" {
		t.Errorf("got %v", err)
	}
	if _, err := w.run(`DROP VIEW near`, false); sqlerr.Code(err) != "STREAM_IN_USE" || !strings.Contains(err.Error(), `query "through"`) {
		t.Errorf("got %v", err)
	}
	got, err := w.run(`DROP STREAM price CASCADE`, false)
	if err != nil || strings.Count(got, "is dropped with its checkpoint") != 4 || !strings.Contains(got, `view "far" is dropped`) {
		t.Errorf("got %s, %v", got, err)
	}
	w.want(listed, "[alias, column, columns, entry, mat, s1_s2, ticks, words]")
}

// A catalog that kept nothing of what is read learns it when it is opened.
func TestOlderCatalogsLearnWhatIsRead(t *testing.T) {
	dir := t.TempDir()
	w := open(t, dir)
	if _, err := w.run(namesakes+";"+readers+"; STOP QUERY ALL", false); err != nil {
		t.Fatal(err)
	}
	const kept = `SELECT string_agg(name || ' ' || reads::VARCHAR, ', ' ORDER BY name) FROM (SELECT name, reads FROM ssql.streams WHERE kind = 'view' UNION ALL SELECT name, reads FROM ssql.queries)`
	const want = "alias [ticks], column [ticks], columns [ticks], direct [price], entry [ticks], far [near, price], joined [price, ticks], mat [ticks], near [price], nested [price], s1_s2 [ticks], through [far, near, price], words [ticks]"
	w.want(kept, want)
	w.tamper(`ALTER TABLE ssql.queries DROP COLUMN reads; ALTER TABLE ssql.streams DROP COLUMN reads; UPDATE ssql.catalog_version SET version = 3`)
	w.close()
	w = open(t, dir)
	w.want(kept, want)
	// Two definitions that cannot be bound any more, one of which cannot be parsed either.
	w.tamper(`UPDATE ssql.queries SET reads = NULL; UPDATE ssql.queries SET definition = 'INSERT INTO direct SELECT gone FROM far' WHERE name = 'direct';
		UPDATE ssql.queries SET definition = 'INSERT ((' WHERE name = 'words'`)
	w.close()
	w = open(t, dir)
	w.want(`SELECT string_agg(name || ' ' || reads::VARCHAR, ', ' ORDER BY name) FROM ssql.queries WHERE name IN ('direct', 'words')`, "direct [far, near, price], words []")
}
