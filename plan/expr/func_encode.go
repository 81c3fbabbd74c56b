package expr

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"strconv"
	"strings"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

var tBlob = types.Of(types.Blob)

// textOrBytes binds a function of the bytes of a VARCHAR or BLOB.
func textOrBytes(t types.Type, k kernel) binder {
	return func(b *binding) (Expr, error) {
		if b.args[0].Type().Kind == types.Blob {
			return b.harmless(t, k, b.args[0]), nil
		}
		return fixed(t, k, tVarchar)(b)
	}
}

func md5Text(dst []byte, s string) ([]byte, error) {
	sum := md5.Sum(bytesOf(s))
	return hex.AppendEncode(dst, sum[:]), nil
}

func sha1Text(dst []byte, s string) ([]byte, error) {
	sum := sha1.Sum(bytesOf(s))
	return hex.AppendEncode(dst, sum[:]), nil
}

func sha256Text(dst []byte, s string) ([]byte, error) {
	sum := sha256.Sum256(bytesOf(s))
	return hex.AppendEncode(dst, sum[:]), nil
}

// bindHex binds hex of bytes, or of a whole number without leading zeros.
func bindHex(b *binding) (Expr, error) {
	if b.args[0].Type().IsInteger() {
		return fixed(tVarchar, text1(func(dst []byte, v int64) ([]byte, error) {
			return append(dst, strings.ToUpper(strconv.FormatUint(uint64(v), 16))...), nil
		}), tBigInt)(b)
	}
	return textOrBytes(tVarchar, text1(func(dst []byte, s string) ([]byte, error) {
		return append(dst, strings.ToUpper(hex.EncodeToString(bytesOf(s)))...), nil
	}))(b)
}

func unhex(s string) (string, error) {
	if len(s)%2 == 1 {
		s = "0" + s
	}
	out, err := hex.DecodeString(s)
	if err != nil {
		return "", sqlerr.New(codeParameter, "expected hexadecimal digits, found %q", s)
	}
	return string(out), nil
}

func toBase64(dst []byte, s string) ([]byte, error) {
	return base64.StdEncoding.AppendEncode(dst, bytesOf(s)), nil
}

func fromBase64(s string) (string, error) {
	out, err := base64.StdEncoding.DecodeString(s)
	if err != nil {
		return "", sqlerr.New(codeParameter, "expected base64, found %q", s)
	}
	return string(out), nil
}
