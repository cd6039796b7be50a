import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { hashNote, periodAt, TallystickError } from '@tallystick/core'
import { type Hex, isAddress } from 'viem'
import { z } from 'zod'
import { toDomain } from '../journal/journal-entry.ts'
import type { Claim } from './claim.ts'

// docs/command-line.md, section `journal`, describes the format.
const header = { format: 'tallystick-journal', version: 1 }
// An entry has about 400 bytes. A chain has 5,110 a year with seven tenors.
const lineBytesMax = 4_096
const entriesMax = 1_000_000

/** Encodes claims, sorted by place, as the lines of an export. */
export async function* encodeInterchange(
  pages: AsyncIterable<readonly Claim[]> | Iterable<readonly Claim[]>,
): AsyncGenerator<string> {
  const hash = createHash('sha256')
  let entries = 0
  const encode = (value: unknown) => {
    const line = `${JSON.stringify(value)}\n`
    hash.update(line)
    return line
  }
  yield encode(header)
  for await (const page of pages) {
    for (const claim of page) yield encode(toEntry(claim))
    entries += page.length
  }
  yield encode({ entries, sha256: hash.copy().digest('hex') })
}

/**
 * Reads an export, entry by entry. Throws at the first fault: a line that is damaged, too long, repeated or out of order, a
 * digest that is not that of its terms, or an end that is missing or belongs to another file.
 */
export async function* readInterchange(path: string): AsyncGenerator<Claim> {
  const hash = createHash('sha256')
  let lineNumber = 0
  let last: Claim | undefined
  let entries = 0
  let isEnded = false
  for await (const line of readLines(path)) {
    lineNumber += 1
    const fault = (message: string) => refuse(`Line ${lineNumber} of ${path} ${message}. Nothing was changed.`)
    const value = parseJson(line)
    const end = endSchema.safeParse(value).data
    if (isEnded) throw fault('follows the end of the export')
    if (lineNumber === 1) assertHeader(value, fault)
    else if (end) {
      const isWhole = end.entries === entries && end.sha256 === hash.copy().digest('hex')
      if (!isWhole) throw fault('is the end of another export, or a line before it was changed')
      isEnded = true
    } else {
      const claim = parseEntry(value, fault)
      if (last && comparePlaces(last, claim) >= 0) throw fault('is a repetition, or not in the order of an export')
      last = claim
      entries += 1
      if (entries > entriesMax) throw fault(`is beyond the ${entriesMax} entries that an export can have`)
      yield claim
    }
    hash.update(line)
  }
  if (!isEnded) throw refuse(`${path} is not complete: its last line is missing. Nothing was changed.`)
}

/** Compares the places of two notes, in the order of an export. */
export function comparePlaces(a: Claim, b: Claim): number {
  const compare = <Value extends bigint | number>(x: Value, y: Value) => (x < y ? -1 : x > y ? 1 : 0)
  const compareText = (x: string, y: string) => Buffer.compare(Buffer.from(x), Buffer.from(y))
  return (
    compare(a.chainId, b.chainId) ||
    compareText(a.domain.verifyingContract.toLowerCase(), b.domain.verifyingContract.toLowerCase()) ||
    compareText(a.domain.name, b.domain.name) ||
    compareText(a.domain.version, b.domain.version) ||
    compare(a.periodStart, b.periodStart) ||
    compare(a.maturity, b.maturity)
  )
}

function toEntry(claim: Claim): z.input<typeof entrySchema> {
  const { chainId, domain, periodStart, maturity, tenorDays, coupon, digest } = claim
  const place = { chainId, domain: toDomain(domain), periodStart: String(periodStart), maturity: String(maturity) }
  return { ...place, tenorDays, coupon: String(coupon), digest }
}

// Beyond 2^63 seconds there is no column, beyond 11 digits no calendar.
const seconds = z
  .string()
  .regex(/^(0|[1-9]\d{0,10})$/)
  .transform(BigInt)
const hash32 = z.string().regex(/^0x[0-9a-f]{64}$/)
const text = z.string().max(200)

const entrySchema = z.strictObject({
  chainId: z.int().min(1),
  domain: z.strictObject({
    name: text,
    version: text,
    verifyingContract: z.custom<Hex>((value) => typeof value === 'string' && isAddress(value)),
  }),
  periodStart: seconds,
  maturity: seconds,
  tenorDays: z.int().min(1).max(3650),
  coupon: z
    .string()
    .regex(/^(0|[1-9]\d{0,76})$/)
    .transform(BigInt),
  digest: hash32.transform((value) => value as Hex),
})

const endSchema = z.strictObject({ entries: z.int().min(0), sha256: z.string().regex(/^[0-9a-f]{64}$/) })

type Fault = (message: string) => TallystickError

function assertHeader(value: unknown, fault: Fault): void {
  const { format, version } = (value ?? {}) as { readonly format?: unknown; readonly version?: unknown }
  if (format !== header.format) throw fault('is not the beginning of an export of `tallystick journal export`')
  if (version !== header.version)
    throw fault(`has the version ${JSON.stringify(version)}. This release reads version ${header.version}`)
}

function parseEntry(value: unknown, fault: Fault): Claim {
  const { data } = entrySchema.safeParse(value)
  if (!data) throw fault('is not an entry')
  const { chainId, domain, coupon, digest, maturity, periodStart } = data
  const period = periodAt(periodStart)
  if (period.start !== periodStart) throw fault('has a time at which no period starts')
  const terms = { chainId, maturityTimestamp: maturity, coupon, validAfter: period.start - 1n, validBefore: period.end }
  if (hashNote(terms, domain) !== digest) throw fault('has a digest that is not that of its terms')
  return data
}

function parseJson(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString('utf8'))
  } catch {
    return undefined
  }
}

/** Reads lines with their line breaks. Never keeps more than the longest allowed line. */
async function* readLines(path: string): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0)
  for await (const chunk of openStream(path)) {
    let data = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk
    for (let end = data.indexOf(0x0a); end >= 0; end = data.indexOf(0x0a)) {
      if (end > lineBytesMax) throw tooLong(path)
      yield data.subarray(0, end + 1)
      data = data.subarray(end + 1)
    }
    if (data.length > lineBytesMax) throw tooLong(path)
    rest = data
  }
  if (rest.length > 0) yield rest
}

async function* openStream(path: string): AsyncGenerator<Buffer> {
  try {
    yield* createReadStream(path)
  } catch (error) {
    throw refuse(`${path} cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

function tooLong(path: string): TallystickError {
  return refuse(`${path} has a line of more than ${lineBytesMax} bytes. Nothing was changed.`)
}

function refuse(message: string): TallystickError {
  return new TallystickError({ code: 'invalid_parameter', message, retryable: false })
}
