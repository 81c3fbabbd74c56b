package ndjson

// scanNumber returns the position behind the JSON number at p, -1 if there is none.
func scanNumber(buf []byte, p int) int {
	if buf[p] == '-' {
		p++
	}
	first := p
	p = digits(buf, p)
	if p == first || p-first > 1 && buf[first] == '0' {
		return -1
	}
	if buf[p] == '.' {
		from := p + 1
		if p = digits(buf, from); p == from {
			return -1
		}
	}
	if buf[p]|0x20 == 'e' {
		p++
		if buf[p] == '+' || buf[p] == '-' {
			p++
		}
		from := p
		if p = digits(buf, from); p == from {
			return -1
		}
	}
	return p
}

func digits(buf []byte, p int) int {
	for buf[p]-'0' <= 9 {
		p++
	}
	return p
}
