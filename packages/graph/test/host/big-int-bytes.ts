/** Returns the shortest two's complement form of an integer, little-endian, as a mapping's `BigInt` has it. */
export function bigIntToBytes(value: bigint): Uint8Array {
  if (value >= 0n) return bytesOf(signedDigits(value))
  // The complement of a negative number is as long as that of the number below its magnitude.
  const { length } = signedDigits(-value - 1n)
  return bytesOf(
    BigInt.asUintN(4 * length, value)
      .toString(16)
      .padStart(length, '0'),
  )
}

export function bigIntOfBytes(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  const digits = Buffer.from(bytes).reverse().toString('hex')
  return BigInt.asIntN(8 * bytes.length, BigInt(`0x${digits}`))
}

/** Returns the hex digits of whole bytes whose highest bit is 0. */
function signedDigits(value: bigint): string {
  const digits = value.toString(16)
  const padded = digits.length % 2 === 0 ? digits : `0${digits}`
  return padded >= '8' ? `00${padded}` : padded
}

function bytesOf(digits: string): Uint8Array {
  return Buffer.from(digits, 'hex').reverse()
}
