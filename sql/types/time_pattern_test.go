package types

import "testing"

func TestTimePatterns(t *testing.T) {
	for _, c := range []struct {
		of            func(string) (string, bool)
		pattern, want string // "" for one that there is no format for
	}{
		{FormatOfJava, "yyyy-MM-dd'T'HH:mm:ss.SSSXXX", "%Y-%m-%dT%H:%M:%S.%g%z"},
		{FormatOfJava, "yyyy-MM-ddTHH:mm", "%Y-%m-%dT%H:%M"},
		{FormatOfJava, "EEE, d MMM uuuu h:mm a", "%a, %-d %b %Y %-I:%M %p"},
		{FormatOfJava, "hh 'o''clock' 100%", "%I o'clock 100%%"},
		{FormatOfJava, "QQQ yyyy", ""},
		{FormatOfJava, "yyyy 'open", ""},
		{FormatOfPostgres, "YYYY-MM-DD HH24:MI:SS.MS", "%Y-%m-%d %H:%M:%S.%g"},
		{FormatOfPostgres, "Dy DD Mon, HH12:MI PM", "%a %d %b, %I:%M %p"},
		{FormatOfPostgres, "YYYYth", ""},
	} {
		if got, ok := c.of(c.pattern); ok != (c.want != "") || ok && got != c.want {
			t.Errorf("%q: %q, %v, expected %q", c.pattern, got, ok, c.want)
		}
	}
}
