import { decodeChecksumLine, encodeChecksumLine } from '@tallystick/base'
import { z } from 'zod'
import { bytes32, domainSchema, toDomain, uint } from './journal-entry.ts'

/** Notes of a chain and period that another replica signed or claimed, without their signatures. */
export type JournalImport = Omit<z.output<typeof importSchema>, 'version' | 'kind'>

export function encodeImport({ chainId, domain, periodStart, notes }: JournalImport): Buffer {
  return encodeChecksumLine({
    version,
    kind: 'import',
    chainId,
    domain: toDomain(domain),
    periodStart: String(periodStart),
    notes: notes.map(({ maturity, tenorDays, coupon, digest }) => {
      return { maturity: String(maturity), tenorDays, coupon: String(coupon), digest }
    }),
  })
}

/** Decodes a line without its line break. Returns undefined if it is damaged or not an import. */
export function decodeImport(line: Buffer): JournalImport | undefined {
  const { data } = importSchema.safeParse(decodeChecksumLine(line))
  return data && { chainId: data.chainId, domain: data.domain, periodStart: data.periodStart, notes: data.notes }
}

// A version number of its own, so that software that does not know imports reports a damaged line instead of skipping it.
const version = 4

const importSchema = z.strictObject({
  version: z.literal(version),
  kind: z.literal('import'),
  chainId: z.int(),
  domain: domainSchema,
  periodStart: uint,
  notes: z.array(z.strictObject({ maturity: uint, tenorDays: z.int(), coupon: uint, digest: bytes32 })).min(1),
})
