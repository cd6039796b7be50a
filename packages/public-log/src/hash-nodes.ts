import { hash } from 'node:crypto'

// A quarter of the time of the portable functions of `tlog`. Node returns hex faster than bytes.

/** Computes `nodeHash` with Node's cryptography. */
export function hashNodes(left: Uint8Array, right: Uint8Array): Uint8Array {
  nodeBytes.set(left, 1)
  nodeBytes.set(right, 33)
  return Buffer.from(hash('sha256', nodeBytes), 'hex')
}

/** Computes `leafHash` of a line with Node's cryptography. */
export function hashLeaf(line: string): Uint8Array {
  return Buffer.from(hash('sha256', `\0${line}`), 'hex')
}

const nodeBytes = Buffer.alloc(65, 1)
