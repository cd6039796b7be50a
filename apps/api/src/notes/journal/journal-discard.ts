import type { NoteDomain } from '@tallystick/core'
import { z } from 'zod'
import { decodeChecksumLine, encodeChecksumLine } from '../../checksum-line.ts'
import { domainSchema, uint } from './journal-entry.ts'

/** A journal line that voids the earlier entries of a premature set. */
export type JournalDiscard = {
  readonly chainId: number
  readonly domain: NoteDomain
  readonly periodStart: bigint
  /** Who discarded it, as in the audit. */
  readonly by: string
  /** Local clock, Unix seconds. */
  readonly at: bigint
}

export function encodeDiscard({ chainId, domain, periodStart, by, at }: JournalDiscard): Buffer {
  const { name, version: domainVersion, verifyingContract } = domain
  return encodeChecksumLine({
    version,
    kind: 'discard',
    chainId,
    domain: { name, version: domainVersion, verifyingContract },
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
  return { chainId, domain, periodStart, by, at }
}

// A new version number, so that software that does not know discards reports a damaged line instead of skipping it.
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
