package shell

import "testing"

// TestSecretsAreNotKept: what may be a secret is in no history.
func TestSecretsAreNotKept(t *testing.T) {
	for text, want := range map[string]bool{
		"FROM 'https://bob:PW@host/x.csv'":                               true,
		"ATTACH 'postgres://u:PW@h/db' AS p (TYPE postgres)":             true,
		"FROM 'http://a/b' JOIN 'https://PW@host'":                       true,
		"SET http_headers = 'Authorization: Bearer abc'":                 true,
		"CREATE SECRET s (TYPE s3, KEY_ID 'k')":                          true,
		"ATTACH 'host=h password=PW' AS p (TYPE postgres)":               true,
		"FROM 'https://host/x.csv'":                                      false,
		"FROM 'https://host/at@sign.csv'":                                false,
		"SELECT 'me@example.com'":                                        false,
		"FROM 'https://host/a' WHERE mail = 'me@example.com'":            false,
		"SELECT a FROM TUMBLE(s, ts, INTERVAL '5' MINUTE) WHERE k = '@'": false,
	} {
		if got := holdsSecret(text); got != want {
			t.Errorf("%s: %v", text, got)
		}
	}
}
