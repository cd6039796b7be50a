"""Verifies the current notes of a service. Needs Python 3.9 or later, and no package."""

import json
import os
from urllib.request import Request, urlopen

# secp256k1: prime, order and generator.
P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def keccak256(data):
    """Returns the hash of Ethereum. It differs from hashlib.sha3_256 in the padding."""
    pad = 136 - len(data) % 136
    data += b"\x81" if pad == 1 else b"\x01" + bytes(pad - 2) + b"\x80"
    state = [[0] * 5 for _ in range(5)]
    for block in range(0, len(data), 136):
        for i in range(17):
            state[i % 5][i // 5] ^= int.from_bytes(data[block + 8 * i : block + 8 * i + 8], "little")
        state = permute(state)
    return b"".join(state[i][0].to_bytes(8, "little") for i in range(4))


def permute(a):
    """Keccak-f[1600] on lanes a[x][y]."""

    def rotate(lane, n):
        return (lane << n | lane >> 64 - n) & (1 << 64) - 1 if n else lane

    feedback = 1
    for _ in range(24):
        c = [a[x][0] ^ a[x][1] ^ a[x][2] ^ a[x][3] ^ a[x][4] for x in range(5)]
        d = [c[x - 1] ^ rotate(c[(x + 1) % 5], 1) for x in range(5)]
        a = [[lane ^ d[x] for lane in a[x]] for x in range(5)]
        x, y, current = 1, 0, a[1][0]
        for t in range(24):
            x, y = y, (2 * x + 3 * y) % 5
            current, a[x][y] = a[x][y], rotate(current, (t + 1) * (t + 2) // 2 % 64)
        a = [[a[x][y] ^ ~a[(x + 1) % 5][y] & a[(x + 2) % 5][y] for y in range(5)] for x in range(5)]
        for j in range(7):
            if feedback & 1:
                a[0][0] ^= 1 << (1 << j) - 1
            feedback = feedback << 1 ^ (0x171 if feedback & 0x80 else 0)
    return a


def add(p, q):
    """Adds two points of secp256k1. None is the point at infinity."""
    if p is None or q is None:
        return q if p is None else p
    if p[0] == q[0]:
        if (p[1] + q[1]) % P == 0:
            return None
        slope = 3 * p[0] * p[0] * pow(2 * p[1], -1, P)
    else:
        slope = (q[1] - p[1]) * pow(q[0] - p[0], -1, P)
    x = (slope * slope - p[0] - q[0]) % P
    return x, (slope * (p[0] - x) - p[1]) % P


def multiply(p, k):
    result = None
    while k:
        if k & 1:
            result = add(result, p)
        p, k = add(p, p), k >> 1
    return result


def recover(digest, r, s, v):
    """Returns the address that signed a digest, or None if the signature is invalid."""
    y = pow(r**3 + 7, (P + 1) // 4, P)
    if v not in (27, 28) or not 0 < r < N or not 0 < s <= N // 2 or (y * y - r**3 - 7) % P:
        return None
    point = (r, y if y % 2 == v - 27 else P - y)
    z = int.from_bytes(digest, "big")
    key = multiply(add(multiply(point, s), multiply(G, -z % N)), pow(r, -1, N))
    if key is None:
        return None
    return "0x" + keccak256(key[0].to_bytes(32, "big") + key[1].to_bytes(32, "big"))[12:].hex()


def hash_note(note, pool):
    """Returns the EIP-712 hash of a note, which the pool verifies too."""

    def words(*values):
        return b"".join(v if isinstance(v, bytes) else int(v).to_bytes(32, "big") for v in values)

    domain_type = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
    note_type = b"PriceFeed(uint128 maturityTimestamp,uint256 coupon,uint128 validAfter,uint128 validBefore)"
    name, version = keccak256(b"NoteSignatureVerifier"), keccak256(b"1")
    domain = words(keccak256(domain_type), name, version, note["chainid"], int(pool, 16))
    terms = [note[k] for k in ("maturity_timestamp", "coupon", "signature_valid_after", "signature_valid_before")]
    return keccak256(b"\x19\x01" + keccak256(domain) + keccak256(words(keccak256(note_type), *terms)))


def signer_of(note, pool):
    """Returns the address that signed a note for a pool, in lower case, or None."""
    signature = note["signature"]
    return recover(hash_note(note, pool), int(signature["r"], 16), int(signature["s"], 16), int(signature["v"]))


def get(path):
    request = Request(
        os.environ["TALLYSTICK_URL"] + path,
        headers={"x-api-key": os.environ["TALLYSTICK_KEY"]},
    )
    with urlopen(request, timeout=30) as response:
        return json.load(response)


def main():
    # In production, take pool and signer of each chain from your own configuration.
    chains = {chain["chainid"]: chain for chain in get("/chains")["chains"]}
    for note in get("/notes")["data"]:
        chain = chains[note["chainid"]]
        is_genuine = signer_of(note, chain["pool"]) == chain["signer"].lower()
        verdict = "genuine" if is_genuine else "NOT GENUINE"
        print(f"chain {note['chainid']}, maturity {note['maturity_timestamp']}: {verdict}")


if __name__ == "__main__":
    main()
