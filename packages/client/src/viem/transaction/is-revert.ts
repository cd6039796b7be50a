import { BaseError } from 'viem'

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

// Deeper than any library nests its errors. It also ends a circular error.
const depthMax = 8

/** Yields an error and the errors inside it, outermost first. Nodes, wallets and libraries nest them differently. */
export function* partsOfError(error: unknown): Generator<Readonly<Record<string, unknown>>> {
  let next: readonly unknown[] = [error]
  for (let depth = 0; depth < depthMax; depth++) {
    const parts = next.filter((part) => typeof part === 'object' && part !== null)
    yield* parts as readonly Readonly<Record<string, unknown>>[]
    next = parts.flatMap((part) => {
      const { cause, data, error: inner, originalError } = part as Readonly<Record<string, unknown>>
      return [cause, data, inner, originalError]
    })
  }
}

/** Returns what the node or the wallet itself said. viem adds texts of its own, which call any failed call reverted. */
export function textOfPart(part: Readonly<Record<string, unknown>>): string {
  const { message, details, data } = part
  const own = part instanceof BaseError ? details : message
  return [own, data].filter((text) => typeof text === 'string').join(' ')
}
