package duck

import (
	"context"
	"fmt"
)

// Version asks the linked DuckDB for its version, such as "v1.1.2".
func Version(ctx context.Context) (version string, err error) {
	db, err := Open(":memory:", Options{})
	if err != nil {
		return "", err
	}
	defer func() { err = also(err, db.Close()) }()
	c, release, err := db.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer release()
	err = c.Query(ctx, "SELECT version()", nil, func(row []any) error {
		version = fmt.Sprint(row[0])
		return nil
	})
	return version, err
}
