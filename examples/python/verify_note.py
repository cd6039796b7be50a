"""Verifies the current notes of a service. Needs Python 3.9 or later, and no packages."""

import json
import os
from urllib.request import Request, urlopen

URL = os.environ["TALLYSTICK_URL"]
KEY = os.environ["TALLYSTICK_KEY"]

# secp256k1: prime, order and generator.
P = 2**256 - 2**32 - 977
N = 0xFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFFEBAAEDCE6AF48A03BBFD25E8CD0364141
G = (
    0x79BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798,
    0x483ADA7726A3C4655DA4FBFC0E1108A8FD17B448A68554199C47D08FFB10D4B8,
)


def keccak256(data):
    """Returns the hash that Ethereum uses. It is not hashlib's sha3_256, which pads in another way."""
    data += b"\x01" + b"\0" * (-len(data) - 2 & 135 | 0) + b"\x80" if (len(data) + 1) % 136 else b"\x81"
    lanes = [[0] * 5 for _ in range(5)]
    for start in range(0, len(data), 136):
        for i in range(17):
            at = start + 8 * i
            lanes[i % 5][i // 5] ^= int.from_bytes(data[at : at + 8], "little")
        lanes = keccak_f(lanes)
    return b"".join(lanes[i][0].to_bytes(8, "little") for i in range(4))
