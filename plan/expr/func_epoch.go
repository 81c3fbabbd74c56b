package expr

import (
	"ssql/internal/sqlerr"
)

// bindEpochMs binds both directions: milliseconds to TIMESTAMP, and back to BIGINT.
func bindEpochMs(b *binding) (Expr, error) {
	if b.args[0].Type().IsNumeric() {
		ms, err := b.arg(0, tBigInt)
		if err != nil {
			return nil, err
		}
		return b.call(tTimestamp, map1(func(ms int64) (int64, error) {
			us := ms * 1000
			if us/1000 != ms {
				return 0, sqlerr.New(codeOutOfRange, "%d milliseconds are outside the range of TIMESTAMP", ms)
			}
			return us, nil
		}), ms), nil
	}
	ts, err := b.arg(0, tTimestamp)
	if err != nil {
		return nil, err
	}
	return b.harmless(tBigInt, map1(func(us int64) (int64, error) { return floorDiv(us, 1000), nil }), ts), nil
}
