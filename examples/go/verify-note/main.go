// Verifies the current notes of a service. Needs Go 1.19 or later, and no module.
package main

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"log"
	"math/big"
	"math/bits"
	"net/http"
	"os"
	"strings"
	"time"
)

// Note has the members of a note of GET /notes that are signed.
type Note struct {
	ChainID     string `json:"chainid"`
	Maturity    string `json:"maturity_timestamp"`
	Coupon      string `json:"coupon"`
	ValidAfter  string `json:"signature_valid_after"`
	ValidBefore string `json:"signature_valid_before"`
	Signature   struct {
		R, S string
		V    int64
	} `json:"signature"`
}

// Chain has the members of a chain of GET /chains that identify its notes.
type Chain struct {
	ChainID string `json:"chainid"`
	Pool    string `json:"pool"`
	Signer  string `json:"signer"`
}

// secp256k1: prime, order and generator.
var (
	prime = fromHex("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEFFFFFC2F")
	order = fromHex("FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141")
	base  = &point{
		fromHex("79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798"),
		fromHex("483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8"),
	}
)

// point is a point of the curve. nil is the point at infinity.
type point struct{ x, y *big.Int }

func fromHex(text string) *big.Int {
	value, ok := new(big.Int).SetString(strings.TrimPrefix(text, "0x"), 16)
	if !ok {
		log.Fatalf("not hex: %q", text)
	}
	return value
}

func modP(value *big.Int) *big.Int { return value.Mod(value, prime) }

func add(p, q *point) *point {
	if p == nil {
		return q
	}
	if q == nil {
		return p
	}
	top, bottom := new(big.Int).Sub(q.y, p.y), new(big.Int).Sub(q.x, p.x)
	if p.x.Cmp(q.x) == 0 {
		if modP(new(big.Int).Add(p.y, q.y)).Sign() == 0 {
			return nil
		}
		top = new(big.Int).Mul(big.NewInt(3), new(big.Int).Mul(p.x, p.x))
		bottom = new(big.Int).Lsh(p.y, 1)
	}
	slope := modP(top.Mul(top, bottom.ModInverse(modP(bottom), prime)))
	x := new(big.Int).Mul(slope, slope)
	x = modP(x.Sub(x, new(big.Int).Add(p.x, q.x)))
	y := new(big.Int).Sub(p.x, x)
	return &point{x, modP(y.Sub(y.Mul(y, slope), p.y))}
}

func multiply(p *point, k *big.Int) *point {
	var result *point
	for i := k.BitLen() - 1; i >= 0; i-- {
		result = add(result, result)
		if k.Bit(i) == 1 {
			result = add(result, p)
		}
	}
	return result
}

// recoverSigner returns the address that signed a digest, or "" if the signature is invalid.
func recoverSigner(digest []byte, r, s *big.Int, v int64) string {
	isLow := s.Sign() > 0 && s.Cmp(new(big.Int).Rsh(order, 1)) <= 0
	if v != 27 && v != 28 || r.Sign() <= 0 || r.Cmp(order) >= 0 || !isLow {
		return ""
	}
	cube := new(big.Int).Exp(r, big.NewInt(3), prime)
	y := new(big.Int).ModSqrt(modP(cube.Add(cube, big.NewInt(7))), prime)
	if y == nil {
		return ""
	}
	if int64(y.Bit(0)) != v-27 {
		y.Sub(prime, y)
	}
	z := new(big.Int).SetBytes(digest)
	negative := z.Mod(z.Neg(z), order)
	sum := add(multiply(&point{r, y}, s), multiply(base, negative))
	key := multiply(sum, new(big.Int).ModInverse(r, order))
	if key == nil {
		return ""
	}
	return "0x" + hex.EncodeToString(keccak256(word(key.x), word(key.y))[12:])
}

// word returns a number as 32 bytes.
func word(value *big.Int) []byte { return value.FillBytes(make([]byte, 32)) }

// hashNote returns the EIP-712 hash of a note, which the pool verifies too.
func hashNote(note Note, pool string) []byte {
	domain := [][]byte{
		keccak256([]byte("EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)")),
		keccak256([]byte("NoteSignatureVerifier")),
		keccak256([]byte("1")),
		decimal(note.ChainID),
		word(fromHex(pool)),
	}
	terms := [][]byte{
		keccak256([]byte("PriceFeed(uint128 maturityTimestamp,uint256 coupon,uint128 validAfter,uint128 validBefore)")),
		decimal(note.Maturity),
		decimal(note.Coupon),
		decimal(note.ValidAfter),
		decimal(note.ValidBefore),
	}
	return keccak256([]byte("\x19\x01"), keccak256(domain...), keccak256(terms...))
}

// decimal returns a number of a response as 32 bytes.
func decimal(text string) []byte {
	value, ok := new(big.Int).SetString(text, 10)
	if !ok || value.Sign() < 0 || value.BitLen() > 256 {
		log.Fatalf("not a number: %q", text)
	}
	return word(value)
}

// signerOf returns the address that signed a note for a pool, in lower case, or "".
func signerOf(note Note, pool string) string {
	r, s := fromHex(note.Signature.R), fromHex(note.Signature.S)
	return recoverSigner(hashNote(note, pool), r, s, note.Signature.V)
}

// keccak256 returns the hash of Ethereum. It differs from SHA3-256 in the padding.
func keccak256(parts ...[]byte) []byte {
	const rate = 136
	var data []byte
	for _, part := range parts {
		data = append(data, part...)
	}
	padded := append(data, make([]byte, rate-len(data)%rate)...)
	padded[len(data)] ^= 0x01
	padded[len(padded)-1] ^= 0x80
	var state [25]uint64
	for ; len(padded) > 0; padded = padded[rate:] {
		for i := 0; i < rate/8; i++ {
			state[i] ^= binary.LittleEndian.Uint64(padded[8*i:])
		}
		permute(&state)
	}
	hash := make([]byte, 32)
	for i := 0; i < 4; i++ {
		binary.LittleEndian.PutUint64(hash[8*i:], state[i])
	}
	return hash
}

// permute is Keccak-f[1600]. The lane of x and y is at x+5y.
func permute(a *[25]uint64) {
	feedback := uint16(1)
	for round := 0; round < 24; round++ {
		var c, row [5]uint64
		for i, lane := range a {
			c[i%5] ^= lane
		}
		for i := range a {
			a[i] ^= c[(i+4)%5] ^ bits.RotateLeft64(c[(i+1)%5], 1)
		}
		x, y, current := 1, 0, a[1]
		for t := 0; t < 24; t++ {
			x, y = y, (2*x+3*y)%5
			current, a[x+5*y] = a[x+5*y], bits.RotateLeft64(current, (t+1)*(t+2)/2%64)
		}
		for start := 0; start < 25; start += 5 {
			copy(row[:], a[start:])
			for i := range row {
				a[start+i] ^= ^row[(i+1)%5] & row[(i+2)%5]
			}
		}
		for j := 0; j < 7; j++ {
			if feedback&1 == 1 {
				a[0] ^= 1 << (1<<j - 1)
			}
			if feedback <<= 1; feedback > 0xff {
				feedback ^= 0x171
			}
		}
	}
}

func get(path string, value any) {
	request, err := http.NewRequest("GET", os.Getenv("TALLYSTICK_URL")+path, nil)
	if err != nil {
		log.Fatal(err)
	}
	request.Header.Set("x-api-key", os.Getenv("TALLYSTICK_KEY"))
	client := http.Client{Timeout: 30 * time.Second}
	response, err := client.Do(request)
	if err != nil {
		log.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		log.Fatalf("%s responded with %s", path, response.Status)
	}
	if err := json.NewDecoder(response.Body).Decode(value); err != nil {
		log.Fatal(err)
	}
}

func main() {
	// In production, take pool and signer of each chain from your own configuration.
	var chains struct{ Chains []Chain }
	get("/chains", &chains)
	var notes struct{ Data []Note }
	get("/notes", &notes)
	for _, note := range notes.Data {
		verdict := "NOT GENUINE"
		for _, chain := range chains.Chains {
			if chain.ChainID == note.ChainID && signerOf(note, chain.Pool) == strings.ToLower(chain.Signer) {
				verdict = "genuine"
			}
		}
		fmt.Printf("chain %s, maturity %s: %s\n", note.ChainID, note.Maturity, verdict)
	}
}
