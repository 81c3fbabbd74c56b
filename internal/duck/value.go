package duck

import (
	"fmt"
	"time"
)

// Text returns a value of the driver as text; NULL is "".
func Text(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	case []byte:
		return string(v)
	case time.Time:
		return v.UTC().Format("2006-01-02 15:04:05.999999")
	}
	return fmt.Sprint(v)
}
