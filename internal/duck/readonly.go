package duck

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"ssql/sql/types"
)

// borrowCatalog gives a file that is open for reading the schema ssql of this program, in
// memory, if it has none or an older one, with the rows that it has. It returns the statement
// by which a connection finds file and schema.
func (h *handle) borrowCatalog(name string) (use string, err error) {
	quoted := types.QuoteIdent(name)
	use = "USE " + quoted
	ctx := context.Background()
	conn, err := h.sql.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer conn.Close()
	var version sql.NullInt64
	err = conn.QueryRowContext(ctx, "SELECT max(version) FROM "+quoted+".ssql.catalog_version").Scan(&version)
	if err == nil && version.Int64 >= catalogVersion {
		return use, nil // a newer one is refused by who needs it
	}
	if _, err := conn.ExecContext(ctx, "USE "+StageDatabase+"; "+versionDDL+";"+catalogDDL); err != nil {
		return "", err
	}
	tables, err := names(ctx, conn, "SELECT table_name FROM duckdb_tables() WHERE database_name = ? AND schema_name = 'ssql' AND table_name NOT IN ('catalog_version', 'database') ORDER BY 1", name)
	if err != nil {
		return "", err
	}
	for _, table := range tables {
		columns, err := names(ctx, conn, `SELECT column_name FROM duckdb_columns() WHERE schema_name = 'ssql' AND table_name = ? AND database_name IN (?, '`+StageDatabase+`')
			GROUP BY column_name HAVING count(*) = 2 ORDER BY 1`, table, name)
		if err != nil {
			return "", err
		}
		for i, c := range columns {
			columns[i] = types.QuoteIdent(c)
		}
		if len(columns) == 0 {
			continue
		}
		list, table := strings.Join(columns, ", "), types.QuoteIdent(table)
		copyRows := fmt.Sprintf("INSERT INTO %s.ssql.%s (%s) SELECT %s FROM %s.ssql.%s", StageDatabase, table, list, list, quoted, table)
		if _, err := conn.ExecContext(ctx, copyRows); err != nil {
			return "", err
		}
	}
	return "SET search_path = " + types.QuoteText(quoted+".main,"+StageDatabase+".ssql"), nil
}

func names(ctx context.Context, conn *sql.Conn, query string, args ...any) (out []string, err error) {
	rows, err := conn.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var name string
		if err := rows.Scan(&name); err != nil {
			return nil, err
		}
		out = append(out, name)
	}
	return out, rows.Err()
}
