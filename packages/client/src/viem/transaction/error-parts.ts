import { BaseError } from 'viem'

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
