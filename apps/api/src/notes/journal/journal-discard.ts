import type { NoteDomain } from '@tallystick/core'
import { z } from 'zod'
import { domainSchema, uint } from './journal-entry.ts'
import { decodeJournalLine, encodeJournalLine } from './journal-line.ts'

/** That a set signed by a wrong clock was given up before its time came: what the journal had for it no longer counts. */
export type JournalDiscard = {
  readonly chainId: number
  readonly domain: NoteDomain
  readonly periodStart: bigint
  /** Who gave it up: the name the audit has. */
  readonly by: string
  /** By the local clock, Unix seconds. */
  readonly at: bigint
}

export function encodeDiscard({ chainId, domain, periodStart, by, at }: JournalDiscard): Buffer {
  const { name, version: domainVersion, verifyingContract } = domain
  return encodeJournalLine({
    version,
    kind: 'discard',
    chainId,
    domain: { name, version: domainVersion, verifyingContract },
    periodStart: String(periodStart),
    by,
    at: String(at),
  })
}

/** Reads a line without its line break; undefined if it is damaged or no discard. */
export function decodeDiscard(line: Buffer): JournalDiscard | undefined {
  const { data } = discardSchema.safeParse(decodeJournalLine(line))
  if (!data) return undefined
  const { chainId, domain, periodStart, by, at } = data
  return { chainId, domain, periodStart, by, at }
}

// A version before this line was known must not pass over it: it reads an unknown version as a damaged line.
const version = 2

const discardSchema = z.strictObject({
  version: z.literal(version),
  kind: z.literal('discard'),
  chainId: z.int(),
  domain: domainSchema,
  periodStart: uint,
  by: z.string(),
  at: uint,
})
