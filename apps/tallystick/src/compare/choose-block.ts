import type { ComparedSource } from './compared-source.ts'

/** Block at which two sources are compared. */
export type ComparedBlock = {
  readonly number: number
  /** Hash of the newest block that both have. All blocks up to it are the same in both. */
  readonly commonHash: string
  readonly commonNumber: number
}

export type ChosenBlock = ComparedBlock | { readonly problem: string; readonly isRetryable: boolean }

export type Pair = readonly [ComparedSource, ComparedSource]

/**
 * Chooses the lower head of two sources, or an earlier block. The other source must know the hash of the lower head: then
 * both follow the same chain up to it.
 */
export async function chooseBlock(pair: Pair, wanted: number | undefined): Promise<ChosenBlock> {
  const heads = await Promise.all(pair.map(readHead))
  const [a, b] = heads as [Head, Head]
  const [lower, other] = a.number <= b.number ? [a, pair[1]] : [b, pair[0]]
  const lowerName = lower === a ? pair[0].name : pair[1].name
  if (wanted !== undefined && wanted > lower.number) {
    const problem = `Block ${wanted} is not indexed yet: ${lowerName} is at block ${lower.number}. Give an earlier one.`
    return { problem, isRetryable: false }
  }
  if (!(await hasBlock(other, lower))) {
    return {
      problem: `Block ${lower.number} of ${lowerName} has the hash ${lower.hash}, which ${other.name} does not have. One of them follows another chain or a fork, or does not keep the hashes of its blocks.`,
      isRetryable: true,
    }
  }
  return { number: wanted ?? lower.number, commonHash: lower.hash, commonNumber: lower.number }
}

/** Returns whether both sources still have the block that was common to them. */
export async function isStillCommon(pair: Pair, { commonHash, commonNumber }: ComparedBlock): Promise<boolean> {
  const known = await Promise.all(pair.map((source) => hasBlock(source, { number: commonNumber, hash: commonHash })))
  return known.every(Boolean)
}

type Head = { readonly number: number; readonly hash: string }

async function readHead(source: ComparedSource): Promise<Head> {
  const { data, rejection } = await source.ask('{ _meta { block { number hash } } }')
  const { number, hash } = readBlock(data)
  if (Number.isSafeInteger(number) && typeof hash === 'string' && /^0x[0-9a-f]{2,64}$/i.test(hash)) {
    return { number: number as number, hash }
  }
  throw new UnusableSourceError(`${source.name} does not report its newest block${rejection ? `: ${rejection}` : ''}.`)
}

async function hasBlock(source: ComparedSource, { number, hash }: Head): Promise<boolean> {
  const { data } = await source.ask(`{ _meta(block: { hash: "${hash}" }) { block { number } } }`)
  return readBlock(data).number === number
}

function readBlock(data: Readonly<Record<string, unknown>> | undefined): { number?: unknown; hash?: unknown } {
  const meta = data?.['_meta'] as { readonly block?: { number?: unknown; hash?: unknown } | null } | null | undefined
  return meta?.block ?? {}
}

/** Thrown if a source cannot be compared: it is missing, fails, or does not answer as a subgraph. */
export class UnusableSourceError extends Error {
  override readonly name = 'UnusableSourceError' as const
}
