package catalog

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
	return filepath.Join(database+besideSuffix, FolderName(query))
}

// FolderName returns a name that is safe as a folder and the same for all spellings
// of a query's name.
func FolderName(name string) string {
	escaped := url.PathEscape(strings.ToLower(name))
	return strings.ReplaceAll(escaped, ".", "%2E") // no "..", nothing hidden
}

// CheckpointOf returns the folder of the checkpoint of a stored query: what its option says,
// else what SET checkpoint said when it was made, else beside the database.
func (s *Store) CheckpointOf(r *QueryRow) string {
	switch dir := r.Options["checkpoint"]; {
	case dir != "":
		return Absolute(r.BaseDir, dir)
	case r.Named != "":
		return s.db.Place(r.Named)
	case s.db.Path() != "":
		return besideFolder(s.db.Path(), r.Name)
	case s.Temp != "":
		return filepath.Join(s.Temp, FolderName(r.Name))
	}
	return ""
}

// IsNamed reports whether the user has named the folder of the checkpoint: it may hold more,
// and is never deleted.
func (r *QueryRow) IsNamed() bool { return r.Options["checkpoint"] != "" }

// PlaceCheckpoint gives a new or changed row the folder of its checkpoint. One that exists
// keeps its own, whatever root, of SET checkpoint, is today.
func (s *Store) PlaceCheckpoint(row, old *QueryRow, root, dir string, notice func(text string)) error {
	if old != nil && old.ID != "" {
		row.Named = old.Named
	} else if root != "" {
		row.Named = filepath.Join(Absolute(dir, root), FolderName(row.Name))
		if !IsAbsolute(root) {
			row.Named = s.db.Kept(row.Named)
		}
	}
	if s.db.Path() == "" && s.Temp == "" && row.Named == "" && !row.IsNamed() {
		made, err := os.MkdirTemp("", "ssql-")
		if err != nil {
			return fmt.Errorf("making a folder for checkpoints: %w", err)
		}
		s.Temp = made
		notice("the database is in memory: tables and checkpoints are gone when the session ends")
	}
	row.Checkpoint = s.CheckpointOf(row)
	return nil
}

// Identify reads the id of the database once.
func (s *Store) Identify(ctx context.Context) error {
	if s.db.Path() == "" {
		return nil
	}
	return s.withConn(ctx, func(c *duck.Conn) (err error) {
		s.databaseID, err = duck.DatabaseID(ctx, c)
		return err
	})
}

// Database returns the database file as it is now, the zero value for one in memory.
func (s *Store) Database() owner.Database {
	path := s.db.Path()
	if path == "" {
		return owner.Database{}
	}
	s.Owns.Store(true)
	db := owner.Database{ID: s.databaseID, Path: path}
	if info, err := (vfs.OS{}).Stat(path); err == nil {
		db.File = info.ID
	}
	return db
}

// Claim is the database as the owner of the checkpoint of a query.
func (s *Store) Claim(r *QueryRow) *owner.Claim {
	return &owner.Claim{
		Database: s.Database(), What: "checkpoint", Code: "E_CKPT_ELSEWHERE", Corrupt: "E_CKPT_CORRUPT",
		Hint: func(folder string, copy bool) string {
			own, name := besideFolder(s.db.Path(), r.Name), sql.IdentText(r.Name)
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
func (s *Store) folderClaim(what, code, corrupt, other string) *owner.Claim {
	if s.databaseID == "" {
		return nil
	}
	return &owner.Claim{
		Database: s.Database(), What: what, Code: code, Corrupt: corrupt,
		Hint: func(folder string, copy bool) string {
			if copy {
				return fmt.Sprintf("give this database a copy of its own, cp -r, and name it: %s", other)
			}
			return fmt.Sprintf("name another folder, or remove %s if that database is gone", sqlerr.ShellWord(folder))
		},
	}
}

// LeftBehind is the error of a query whose checkpoint is not here, if the database is a copy:
// the checkpoint is beside the original. nil if it is none.
func (s *Store) LeftBehind(r *QueryRow) error {
	now := s.Database()
	if r.Home == nil || r.IsNamed() || r.Named != "" || r.Home.Path == now.Path || r.Home.File == now.File && now.File != (vfs.FileID{}) {
		return nil
	}
	there := r.Home.Path + besideSuffix
	return sqlerr.New("E_CKPT_ELSEWHERE", "checkpoint %q belongs to the database %q, and this is %q (a copy?)", besideFolder(r.Home.Path, r.Name), r.Home.Path, now.Path).
		WithHint("copy the folder with the database: cp -r %s %s; or RESET QUERY %s TRUNCATE OUTPUT FORCE, which begins again here", sqlerr.ShellWord(there), sqlerr.ShellWord(now.Path+besideSuffix), sql.IdentText(r.Name))
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
