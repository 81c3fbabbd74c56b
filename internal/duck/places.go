package duck

import (
	"context"
	"path/filepath"
	"strings"
)

// Kept returns a folder as the catalog keeps it: relative to the folder of the database, so
// that a project which is moved, copied or mounted elsewhere with its database goes on.
// Folders that have nothing but the root in common with the database's stay absolute, as do
// those of a database in memory.
func (db *DB) Kept(folder string) string {
	if db.path == "" {
		return folder
	}
	return keptFrom(filepath.Dir(db.path), folder)
}

// keptFrom is Kept for a database in a folder.
func keptFrom(home, folder string) string {
	if folder == "" || !filepath.IsAbs(folder) {
		return folder
	}
	folder = resolvedFolder(folder)
	if firstName(home) != firstName(folder) {
		return folder
	}
	rel, err := filepath.Rel(home, folder)
	if err != nil {
		return folder
	}
	return filepath.ToSlash(rel)
}

// firstName is the first folder of an absolute path, with the volume.
func firstName(path string) string {
	volume := filepath.VolumeName(path)
	rest := strings.TrimLeft(filepath.ToSlash(path[len(volume):]), "/")
	name, _, _ := strings.Cut(rest, "/")
	return volume + name
}

// resolvedFolder follows links as far as the folder is there.
func resolvedFolder(folder string) string {
	if real, err := filepath.EvalSymlinks(folder); err == nil {
		return real
	}
	return filepath.Clean(folder)
}

// Place returns the absolute path of a folder that the catalog keeps.
func (db *DB) Place(kept string) string {
	if kept == "" || db.path == "" || filepath.IsAbs(kept) {
		return kept
	}
	return filepath.Join(filepath.Dir(db.path), filepath.FromSlash(kept))
}

// keepPlaces turns the absolute folders of an older catalog into those that move with the
// database. The checkpoints were kept with their path, also where nobody had named one: such
// a path tells where the database was then.
func keepPlaces(ctx context.Context, c *Conn) error {
	if c.db.path == "" {
		return nil
	}
	type place struct{ table, name, base, checkpoint string }
	var places []place
	home := filepath.Dir(c.db.path)
	err := c.Query(ctx, `SELECT 'streams', name, coalesce(base_dir, ''), '', '{}' FROM ssql.streams UNION ALL
		SELECT 'queries', name, coalesce(base_dir, ''), coalesce(checkpoint, ''), coalesce(json_extract_string(options, 'checkpoint'), '') FROM ssql.queries`, nil,
		func(row []any) error {
			p := place{row[0].(string), row[1].(string), row[2].(string), row[3].(string)}
			beside := strings.HasSuffix(filepath.Dir(p.checkpoint), ".ssql")
			if p.table == "queries" && (beside || row[4].(string) != "") {
				if row[4].(string) == "" {
					home = filepath.Dir(filepath.Dir(p.checkpoint))
				}
				p.checkpoint = "" // the place is computed, or in the options
			}
			places = append(places, p)
			return nil
		})
	for _, p := range places {
		if err != nil {
			return err
		}
		if _, err = c.Exec(ctx, "UPDATE ssql."+p.table+" SET base_dir = ? WHERE name = ?", keptFrom(home, p.base), p.name); err == nil && p.table == "queries" {
			_, err = c.Exec(ctx, "UPDATE ssql.queries SET checkpoint = nullif(?, '') WHERE name = ?", p.checkpoint, p.name)
		}
	}
	return err
}
