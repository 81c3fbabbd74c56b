package session

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"ssql/internal/duck"
	"ssql/internal/owner"
	"ssql/internal/sqlerr"
	"ssql/internal/vfs"
	"ssql/sql"
	"ssql/sql/types"
)

// besideSuffix is what the folder of checkpoints beside a database adds to its name.
const besideSuffix = ".ssql"

// besideFolder is where a database in a file keeps the checkpoint of a query unless the user
// names a folder. It is never stored: it goes wherever the database goes.
func besideFolder(database, query string) string {
	return filepath.Join(database+besideSuffix, folderName(query))
}

// folderName returns a name that is safe as a folder and the same for all spellings
// of a query's name.
func folderName(name string) string {
	escaped := url.PathEscape(strings.ToLower(name))
	return strings.ReplaceAll(escaped, ".", "%2E") // no "..", nothing hidden
}

// checkpointOf returns the folder of the checkpoint of a stored query: what its option says,
// else what SET checkpoint said when it was made, else beside the database.
func (s *Session) checkpointOf(r *queryRow) string {
	switch dir := r.options["checkpoint"]; {
	case dir != "":
		return absolute(r.baseDir, dir)
	case r.named != "":
		return s.db.Place(r.named)
	case s.db.Path() != "":
		return besideFolder(s.db.Path(), r.name)
	case s.temp != "":
		return filepath.Join(s.temp, folderName(r.name))
	}
	return ""
}

// isNamed reports whether the user has named the folder of the checkpoint: it may hold more,
// and is never deleted.
func (r *queryRow) isNamed() bool { return r.options["checkpoint"] != "" }

// placeCheckpoint gives a new or changed row the folder of its checkpoint. One that exists
// keeps its own, whatever SET checkpoint says today.
func (s *Session) placeCheckpoint(row, old *queryRow, dir string, out Output) error {
	if root := s.settings.Get("checkpoint"); old != nil && old.id != "" {
		row.named = old.named
	} else if root != "" {
		row.named = filepath.Join(absolute(dir, root), folderName(row.name))
		if !isAbsolute(root) {
			row.named = s.db.Kept(row.named)
		}
	}
	if s.db.Path() == "" && s.temp == "" && row.named == "" && !row.isNamed() {
		made, err := os.MkdirTemp("", "ssql-")
		if err != nil {
			return fmt.Errorf("making a folder for checkpoints: %w", err)
		}
		s.temp = made
		out.Notice("the database is in memory: tables and checkpoints are gone when the session ends")
	}
	row.checkpoint = s.checkpointOf(row)
	return nil
}

// identify reads the id of the database once.
func (s *Session) identify(ctx context.Context) error {
	if s.db.Path() == "" {
		return nil
	}
	return s.withConn(ctx, func(c *duck.Conn) (err error) {
		s.databaseID, err = duck.DatabaseID(ctx, c)
		return err
	})
}

// database returns the database file as it is now, the zero value for one in memory.
func (s *Session) database() owner.Database {
	path := s.db.Path()
	if path == "" {
		return owner.Database{}
	}
	s.owns.Store(true)
	db := owner.Database{ID: s.databaseID, Path: path}
	if info, err := (vfs.OS{}).Stat(path); err == nil {
		db.File = info.ID
	}
	return db
}

// claim is the database as the owner of the checkpoint of a query.
func (s *Session) claim(r *queryRow) *owner.Claim {
	return &owner.Claim{
		Database: s.database(), What: "checkpoint", Code: "E_CKPT_ELSEWHERE", Corrupt: "E_CKPT_CORRUPT",
		Hint: func(folder string, copy bool) string {
			own, name := besideFolder(s.db.Path(), r.name), sql.IdentText(r.name)
			switch {
			case !copy:
				return fmt.Sprintf("remove the folder if that database is gone; or name another one: CREATE QUERY name WITH (checkpoint = %s) AS INSERT ...", types.QuoteText(filepath.Base(folder)+"-2"))
			case folder == own:
				return fmt.Sprintf("put a copy of the folder in the place of the link; or DROP QUERY %s, which leaves it as it is", name)
			}
			return fmt.Sprintf("give this database a copy: mkdir -p %s; cp -r %s %s; and then ALTER QUERY %s SET (checkpoint = %s); or DROP QUERY %s, which leaves the folder as it is",
				sqlerr.ShellWord(filepath.Dir(own)), sqlerr.ShellWord(folder), sqlerr.ShellWord(own), name, types.QuoteText(own), name)
		},
	}
}

// folderClaim is the database as the owner of a folder of a connector.
func (s *Session) folderClaim(what, code, corrupt, other string) *owner.Claim {
	if s.databaseID == "" {
		return nil
	}
	return &owner.Claim{
		Database: s.database(), What: what, Code: code, Corrupt: corrupt,
		Hint: func(folder string, copy bool) string {
			if copy {
				return fmt.Sprintf("give this database a copy of its own, cp -r, and name it: %s", other)
			}
			return fmt.Sprintf("name another folder, or remove %s if that database is gone", sqlerr.ShellWord(folder))
		},
	}
}

// leftBehind is the error of a query whose checkpoint is not here, if the database is a copy:
// the checkpoint is beside the original. nil if it is none.
func (s *Session) leftBehind(r *queryRow) error {
	now := s.database()
	if r.home == nil || r.isNamed() || r.named != "" || r.home.Path == now.Path || r.home.File == now.File && now.File != (vfs.FileID{}) {
		return nil
	}
	there := r.home.Path + besideSuffix
	return sqlerr.New("E_CKPT_ELSEWHERE", "checkpoint %q belongs to the database %q, and this is %q (a copy?)", besideFolder(r.home.Path, r.name), r.home.Path, now.Path).
		WithHint("copy the folder with the database: cp -r %s %s; or RESET QUERY %s TRUNCATE OUTPUT FORCE, which begins again here", sqlerr.ShellWord(there), sqlerr.ShellWord(now.Path+besideSuffix), sql.IdentText(r.name))
}

// homeText is what ssql.queries keeps of the database file at a start.
func homeText(home *owner.Database) string {
	if home == nil || home.Path == "" {
		return ""
	}
	text, err := json.Marshal(home)
	if err != nil {
		return "" // strings and numbers
	}
	return string(text)
}

// readHome reads what homeText wrote.
func readHome(text string) *owner.Database {
	home := &owner.Database{}
	if text == "" || json.Unmarshal([]byte(text), home) != nil {
		return nil
	}
	return home
}
