import { keccak256 } from 'viem'
import { bigIntOfBytes, bigIntToBytes } from './big-int-bytes.ts'
import { bytesOfHex } from './ethereum-value.ts'
import { MappingError } from './mapping-error.ts'
import type { HostFunctions, Scope } from './scope.ts'

/** Creates the functions for integers, conversions and hashes. */
export function numberImports(scope: Scope): HostFunctions {
  const read = (address: number) => bigIntOfBytes(scope.heap.readBytes(address))
  const write = (value: bigint) => scope.heap.newBytes(bigIntToBytes(value))
  const operation = (compute: (left: bigint, right: bigint) => bigint) => (left: number, right: number) =>
    write(compute(read(left), read(right)))
  const byNumber = (compute: (left: bigint, right: bigint) => bigint) => (left: number, right: number) =>
    write(compute(read(left), BigInt(right & 0xff)))
  const divide = (compute: (left: bigint, right: bigint) => bigint) =>
    operation((left, right) => {
      if (right === 0n) throw new MappingError(`Cannot divide ${left} by zero`)
      return compute(left, right)
    })
  return {
    'bigInt.plus': operation((left, right) => left + right),
    'bigInt.minus': operation((left, right) => left - right),
    'bigInt.times': operation((left, right) => left * right),
    'bigInt.dividedBy': divide((left, right) => left / right),
    'bigInt.mod': divide((left, right) => left % right),
    'bigInt.bitOr': operation((left, right) => left | right),
    'bigInt.bitAnd': operation((left, right) => left & right),
    'bigInt.pow': byNumber((left, right) => left ** right),
    'bigInt.leftShift': byNumber((left, right) => left << right),
    'bigInt.rightShift': byNumber((left, right) => left >> right),
    'bigInt.fromString': (text) => write(parseInteger(scope.heap.readString(text!))),
    'typeConversion.bigIntToString': (value) => scope.heap.newString(String(read(value!))),
    'typeConversion.bigIntToHex': (value) => scope.heap.newString(`0x${magnitude(read(value!)).toString(16)}`),
    'typeConversion.bytesToHex': (value) => scope.heap.newString(hexOf(scope.heap.readBytes(value!))),
    'typeConversion.bytesToString': (value) =>
      scope.heap.newString(Buffer.from(scope.heap.readBytes(value!)).toString('utf8').replace(/\0+$/, '')),
    'typeConversion.stringToH160': (text) =>
      scope.heap.newBytes(bytesOfHex(parseAddress(scope.heap.readString(text!)))),
    'crypto.keccak256': (value) => scope.heap.newBytes(bytesOfHex(keccak256(scope.heap.readBytes(value!)))),
  }
}

function parseInteger(text: string): bigint {
  if (!/^[+-]?\d+$/.test(text)) throw new MappingError(`${text} is not a decimal integer`)
  return BigInt(text.replace(/^\+/, ''))
}

function parseAddress(text: string): string {
  if (!/^(0x)?[0-9a-f]{40}$/i.test(text)) throw new MappingError(`${text} is not an address`)
  return `0x${text.slice(-40).toLowerCase()}`
}

function hexOf(bytes: Uint8Array): string {
  return `0x${Buffer.from(bytes).toString('hex')}`
}

function magnitude(value: bigint): bigint {
  return value < 0n ? -value : value
}
