import { createHash } from 'node:crypto'
import {
  decodeNote,
  formatNewYork,
  formatPeriod,
  maturityOf,
  type NotesEntry,
  periodAt,
  verifyNote,
} from '@tallystick/core'
import type { Address } from 'viem'
import type { MonitorFinding } from '../finding.ts'
import type { ChainState, CurveRecord } from '../monitor-state.ts'
import { findCurve, findCurveInForce } from './curve-records.ts'
import { findPeriodFrom, hasDate, hasPeriod, periodNumber } from './periods.ts'

/** What is wrong with an entry, without its index. */
export type EntryFault = Pick<MonitorFinding, 'kind' | 'message'>

/** What the entries before a set say. */
export type NotesContext = {
  /** Index of the set's entry. */
  readonly index: number
  readonly chain: ChainState | undefined
  readonly curves: readonly CurveRecord[]
}

type WireNote = NotesEntry['notes'][number]

/** Returns what is wrong with a set, at most one problem of each kind. */
export async function checkNotes(entry: NotesEntry, context: NotesContext): Promise<readonly EntryFault[]> {
  const period = findPeriodFault(entry)
  // Without its period nothing else about a set can be judged.
  if (period) return [period]
  const notes = await findNoteFaults(entry)
  const faults = [
    findSecondSet(entry, context),
    findDomainFault(entry),
    findPoolChange(entry, context),
    findSignerFault(entry, context),
    ...notes,
    findCurveFault(entry, context),
    findCouponFault(entry, context),
  ].flatMap((fault) => fault ?? [])
  return faults.filter(({ kind }, at) => faults.findIndex((other) => other.kind === kind) === at)
}

function findPeriodFault({ period }: NotesEntry): EntryFault | undefined {
  const expected = findPeriodFrom(BigInt(period.start))
  if (expected?.end === BigInt(period.end) && expected.noteDay === BigInt(period.noteDay)) return undefined
  const message = `its period from ${period.start} to ${period.end} of the day ${period.noteDay} is not a New York period`
  return { kind: 'wrong_period', message }
}

function findSecondSet(entry: NotesEntry, { chain }: NotesContext): EntryFault | undefined {
  const start = BigInt(entry.period.start)
  const period = periodAt(start)
  if (!chain || !hasPeriod(chain.seen, periodNumber(period))) return undefined
  const first = chain.firstSets[start.toString()]
  return { kind: 'second_set', message: `it is a second set for ${formatPeriod(period)}${compareSets(entry, first)}` }
}

function compareSets(entry: NotesEntry, first: ChainState['firstSets'][string] | undefined): string {
  if (!first) return '. The first one is of a period more than two weeks before, and was not compared with it'
  if (first.digest === digestNotes(entry)) {
    return `, identical to entry ${first.index}: pool, maturities and coupons are the same, so no other coupons were signed`
  }
  return `, other than entry ${first.index}. Both verify on the chain, so two coupons were signed for one period`
}

/** Returns a digest of the pool, maturities and coupons of a set. */
export function digestNotes({ pool, notes }: NotesEntry): string {
  const terms = notes
    .map(({ maturity_timestamp, coupon }) => `${BigInt(maturity_timestamp)} ${BigInt(coupon)}`)
    .toSorted()
  return createHash('sha256')
    .update([pool.toLowerCase(), ...terms].join('\n'))
    .digest('hex')
    .slice(0, 32)
}

function findDomainFault({ chainid, pool, domain }: NotesEntry): EntryFault | undefined {
  if (domain.chainId === Number(chainid) && isSame(domain.verifyingContract, pool)) return undefined
  const message = `its domain is for ${domain.verifyingContract} on chain ${domain.chainId}, not for its pool ${pool}`
  return { kind: 'wrong_domain', message }
}

function findPoolChange({ pool, domain }: NotesEntry, { chain }: NotesContext): EntryFault | undefined {
  const last = chain?.pools.at(-1)
  const isUnchanged = last && isSame(last.address, pool) && last.name === domain.name && last.version === domain.version
  if (!last || isUnchanged) return undefined
  const message = `it is for the pool ${pool} (${domain.name} ${domain.version}), the sets before it for ${last.address} (${last.name} ${last.version})`
  return { kind: 'pool_changed', message }
}

function findSignerFault({ signer }: NotesEntry, { chain }: NotesContext): EntryFault | undefined {
  if (chain?.signer && isSame(chain.signer, signer)) return undefined
  const logged = chain?.signer ? `the log has ${chain.signer} as signer` : 'the log has no signer for the chain'
  return { kind: 'wrong_signer', message: `it is signed by ${signer}, but before this entry ${logged}` }
}

async function findNoteFaults(entry: NotesEntry): Promise<readonly EntryFault[]> {
  const { domain, signer } = entry
  const faults: EntryFault[] = []
  const maturities = new Set<string>()
  for (const note of entry.notes) {
    const fault =
      findTermsFault(note, entry) ?? (maturities.has(note.maturity_timestamp) ? 'is there twice' : undefined)
    maturities.add(note.maturity_timestamp)
    if (fault) faults.push({ kind: 'wrong_terms', message: `its note until ${note.maturity_timestamp} ${fault}` })
    const noteDomain = { ...domain, verifyingContract: domain.verifyingContract as Address }
    const result = await verifyNote(decodeNote(note), { domain: noteDomain, signer: signer as Address })
    if (result.valid) continue
    const message = `the signature of its note until ${note.maturity_timestamp} is not by its signer: ${result.reason}`
    faults.push({ kind: 'wrong_signature', message })
  }
  return faults
}

function findTermsFault(note: WireNote, { chainid, period }: NotesEntry): string | undefined {
  if (note.chainid !== chainid) return `is for chain ${note.chainid}, not for chain ${chainid}`
  if (BigInt(note.note_started_at) !== BigInt(period.noteDay))
    return `started at ${note.note_started_at}, not on its day`
  const isExact =
    BigInt(note.signature_valid_after) === BigInt(period.start) - 1n &&
    BigInt(note.signature_valid_before) === BigInt(period.end)
  if (!isExact) {
    return `is valid between ${note.signature_valid_after} and ${note.signature_valid_before}, not in exactly its period`
  }
  if (tenorOf(note, period.noteDay)) return undefined
  return 'does not mature at 00:00 New York, whole days after its day'
}

/** Returns the tenor of a note in days, or undefined if it does not mature whole days after its day. */
function tenorOf({ maturity_timestamp }: WireNote, day: string): number | undefined {
  const maturity = BigInt(maturity_timestamp)
  const noteDay = BigInt(day)
  if (maturity <= noteDay || !hasDate(maturity)) return undefined
  // A day has 23 to 25 hours, and the difference of the zone is at most one hour in all.
  const tenorDays = Math.round(Number(maturity - noteDay) / 86_400)
  return tenorDays > 0 && maturityOf({ noteDay, tenorDays }) === maturity ? tenorDays : undefined
}

function findCurveFault(entry: NotesEntry, context: NotesContext): EntryFault | undefined {
  const message = describeCurveFault(entry, context)
  return message === undefined ? undefined : { kind: 'wrong_curve', message }
}

function describeCurveFault(entry: NotesEntry, { index, curves }: NotesContext): string | undefined {
  const { chainid, curve: named } = entry
  const periodStart = BigInt(entry.period.start)
  const curve = findCurve(curves, { chainid, index: named })
  if (!curve) return `it names entry ${named} as its curve, which is not an earlier curve of its chain`
  if (BigInt(curve.effectiveFrom) > periodStart) {
    const from = formatNewYork(BigInt(curve.effectiveFrom))
    return `its curve, entry ${named}, is in force from ${from} New York on only`
  }
  const inForce = findCurveInForce(curves, { chainid, periodStart, before: index })
  if (inForce?.index === named) return undefined
  return `its curve, entry ${named}, had been replaced by that of entry ${inForce?.index}`
}

function findCouponFault(entry: NotesEntry, { curves }: NotesContext): EntryFault | undefined {
  const curve = findCurve(curves, { chainid: entry.chainid, index: entry.curve })
  if (!curve) return undefined
  for (const note of entry.notes) {
    const tenorDays = tenorOf(note, entry.period.noteDay)
    const stated = tenorDays === undefined ? undefined : curve.points[tenorDays]
    if (stated !== undefined && BigInt(stated) === BigInt(note.coupon)) continue
    const expected = stated === undefined ? 'no coupon' : `${stated} bps`
    const tenor = tenorDays === undefined ? 'that maturity' : `${tenorDays} days`
    const message = `its note until ${note.maturity_timestamp} has ${note.coupon} bps, but its curve, entry ${entry.curve}, has ${expected} for ${tenor}`
    return { kind: 'wrong_coupon', message }
  }
  return undefined
}

/** Compares addresses. */
export function isSame(a: string, b: string): boolean {
  return a.toLowerCase() === b.toLowerCase()
}
