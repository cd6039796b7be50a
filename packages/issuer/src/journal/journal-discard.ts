import { decodeChecksumLine, encodeChecksumLine } from '@tallystick/base'
import { z } from 'zod'
import { domainSchema, toDomain, uint } from './journal-entry.ts'

/** A journal line that voids earlier entries of a period: of a premature set, or notes that the pool refused. */
export type JournalDiscard = Omit<z.output<typeof wholeSchema>, 'version' | 'kind'> & {
  /** Maturities of the void notes; undefined means all. */
  readonly maturities?: readonly bigint[] | undefined
}

export function encodeDiscard({ chainId, domain, periodStart, maturities, by, at }: JournalDiscard): Buffer {
  return encodeChecksumLine({
    ...(maturities ? { version: partialVersion, maturities: maturities.map(String) } : { version }),
    kind: 'discard',
    chainId,
    domain: toDomain(domain),
    periodStart: String(periodStart),
    by,
    at: String(at),
  })
}

/** Decodes a line without its line break. Returns undefined if it is damaged or not a discard. */
export function decodeDiscard(line: Buffer): JournalDiscard | undefined {
  const { data } = discardSchema.safeParse(decodeChecksumLine(line))
  if (!data) return undefined
  const { chainId, domain, periodStart, by, at } = data
  return { chainId, domain, periodStart, by, at, ...('maturities' in data && { maturities: data.maturities }) }
}

// A new version number, so that software that does not know discards reports a damaged line instead of skipping it.
const version = 2
const partialVersion = 3

const wholeSchema = z.strictObject({
  version: z.literal(version),
  kind: z.literal('discard'),
  chainId: z.int(),
  domain: domainSchema,
  periodStart: uint,
  /** Who discarded it, as in the audit. */
  by: z.string(),
  /** Local clock, Unix seconds. */
  at: uint,
})

const discardSchema = z.union([
  wholeSchema,
  wholeSchema.extend({ version: z.literal(partialVersion), maturities: z.array(uint).min(1) }),
])
