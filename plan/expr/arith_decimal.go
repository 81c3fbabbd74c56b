package expr

import (
	"math/big"
	"math/bits"

	"github.com/apache/arrow/go/v17/arrow/decimal128"

	"ssql/internal/sqlerr"
	"ssql/sql/types"
)

func negateDecimal(a decimal128.Num) (decimal128.Num, error) { return a.Negate(), nil }

// decimalKernel returns the kernel of + - * or % with a result of type t. Addition
// and remainder take operands of t's scale.
func decimalKernel(op string, t types.Type) kernel {
	switch op {
	case "+":
		return map2(func(a, b decimal128.Num) (decimal128.Num, error) { return fitDecimal(op, t, a, b, addDecimal(a, b)) })
	case "-":
		return map2(func(a, b decimal128.Num) (decimal128.Num, error) {
			return fitDecimal(op, t, a, b, addDecimal(a, b.Negate()))
		})
	case "*":
		return map2(func(a, b decimal128.Num) (decimal128.Num, error) {
			p, ok := multiplyDecimal(a, b)
			if !ok || !p.FitsInPrecision(t.Precision) {
				return p, decimalOverflow(op, t)
			}
			return p, nil
		})
	}
	return map2(func(a, b decimal128.Num) (decimal128.Num, error) {
		if b == (decimal128.Num{}) {
			return b, errNull
		}
		return remainderDecimal(a, b), nil
	})
}

// addDecimal cannot overflow 128 bits: both operands have at most 38 digits.
func addDecimal(a, b decimal128.Num) decimal128.Num {
	lo, carry := bits.Add64(a.LowBits(), b.LowBits(), 0)
	return decimal128.New(a.HighBits()+b.HighBits()+int64(carry), lo)
}

func fitDecimal(op string, t types.Type, a, b, r decimal128.Num) (decimal128.Num, error) {
	if !fitsPrecision(r, t.Precision) {
		return r, sqlerr.New(codeOverflow, "%s %s %s does not fit %s", a.ToString(t.Scale), op, b.ToString(t.Scale), t).
			WithHint("cast an operand to a DECIMAL with more digits")
	}
	return r, nil
}

func decimalOverflow(op string, t types.Type) error {
	return sqlerr.New(codeOverflow, "the result of %s does not fit %s", op, t).WithHint("cast an operand to a DECIMAL with more digits, or to DOUBLE")
}

// fitsPrecision is FitsInPrecision, with the test that nearly all values pass
// first.
func fitsPrecision(v decimal128.Num, precision int32) bool {
	if isWord(v) && precision >= 19 {
		return true
	}
	return v.FitsInPrecision(precision)
}

// isWord reports whether v fits 64 bits.
func isWord(v decimal128.Num) bool { return v.HighBits() == int64(v.LowBits())>>63 }

func multiplyDecimal(a, b decimal128.Num) (p decimal128.Num, ok bool) {
	if isWord(a) && isWord(b) {
		x, y := int64(a.LowBits()), int64(b.LowBits())
		hi, lo := bits.Mul64(uint64(x), uint64(y))
		// Mul64 takes the operands as unsigned: take out what the sign bits added.
		hi -= uint64(x>>63)&uint64(y) + uint64(y>>63)&uint64(x)
		return decimal128.New(int64(hi), lo), true
	}
	wide := new(big.Int).Mul(a.BigInt(), b.BigInt())
	if wide.BitLen() > 127 {
		return p, false
	}
	return decimal128.FromBigInt(wide), true
}

func remainderDecimal(a, b decimal128.Num) decimal128.Num {
	if isWord(a) && isWord(b) {
		return decimal128.FromI64(int64(a.LowBits()) % int64(b.LowBits()))
	}
	return decimal128.FromBigInt(new(big.Int).Rem(a.BigInt(), b.BigInt()))
}
