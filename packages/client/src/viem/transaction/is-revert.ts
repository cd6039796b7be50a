import { partsOfError, textOfPart } from './error-parts.ts'

// 3: geth and most others. -32015: OpenEthereum and Nethermind.
const codes: ReadonlySet<unknown> = new Set([3, -32015])
const texts = /\brevert|\binvalid (opcode|jump)|\bVM (execution|exception)/i

/**
 * Returns whether a call failed in the contract. Any other error is the node's or the wallet's, and says nothing about the
 * contract. viem's own classes do not tell: it calls every internal error of a node a revert.
 */
export function isRevert(error: unknown): boolean {
  return [...partsOfError(error)].some(
    (part) => codes.has(part['code']) || isRevertData(part['data']) || texts.test(textOfPart(part)),
  )
}

/** Returns whether a revert has data: the contract's error, not only its failure. */
export function hasRevertData(error: unknown): boolean {
  return [...partsOfError(error)].some(({ data }) => isRevertData(data))
}

function isRevertData(data: unknown): boolean {
  return typeof data === 'string' && /^0x[0-9a-f]{8,}$/i.test(data)
}
