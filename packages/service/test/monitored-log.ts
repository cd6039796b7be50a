import {
  type CurveEntry,
  encodeNote,
  formatLogEntry,
  maturityOf,
  type NoteDomain,
  type NotesEntry,
  type NoteTerms,
  noteTypedData,
  type Period,
  periodAfter,
  periodAt,
  type SignerEntry,
} from '@tallystick/core'
import { createMonitor, createState, type MonitorEvent, type MonitorState } from '@tallystick/monitor'
import { parseVerifierKey, type VerifierKey } from '@tallystick/tlog'
import { createPublicLog } from '@tallystick/workbench/public-log/create-public-log'
import { servePublicLog } from '@tallystick/workbench/public-log/serve-public-log'
import { type Address, type Hex, parseSignature } from 'viem'
import { type PrivateKeyAccount, privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'

export const noteSigner = privateKeyToAccount(`0x${'01'.repeat(32)}`)
export const otherSigner = privateKeyToAccount(`0x${'02'.repeat(32)}`)
export const pool: Address = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
/** 2026-10-30, 00:00 to 18:00 New York: two days before clocks go back. */
export const firstPeriod = periodAt(1793332800n)
export const points = { 7: '369', 30: '362' }

const salt = 'ab'.repeat(16)

export function signerEntry(change: Partial<SignerEntry> = {}): SignerEntry {
  const base = { v: 1, type: 'signer', salt, chainid: '324', from: null, to: noteSigner.address } as const
  return { ...base, why: 'first signer', at: '1793332000', ...change }
}

export function curveEntry(change: Partial<CurveEntry> = {}): CurveEntry {
  const effectiveFrom = firstPeriod.start.toString()
  const base = { v: 1, type: 'curve', salt, chainid: null, effectiveFrom, points, source: 'manual' } as const
  return { ...base, setBy: 'test', confirmed: false, createdAt: '1793332000', provenance: null, ...change }
}

export type NotesOptions = {
  readonly period?: Period
  readonly chainid?: string
  readonly curve?: number
  readonly coupons?: Readonly<Record<number, string>>
  readonly account?: PrivateKeyAccount
  readonly pool?: Address
  /** Changes the terms of the 7-day note before it is signed. */
  readonly terms?: Partial<NoteTerms> & { readonly startedAt?: bigint }
}

const signatures = new Map<string, Promise<Hex>>()

/** Signs a note, or returns its signature from before: many tests have the same notes. */
function signOnce(account: PrivateKeyAccount, terms: NoteTerms, domain: NoteDomain): Promise<Hex> {
  const name = [account.address, ...Object.values(domain), ...Object.values(terms)].join(' ')
  const signature = signatures.get(name) ?? account.signTypedData(noteTypedData(terms, domain))
  signatures.set(name, signature)
  return signature
}

/** A set as an honest service signs it, but for what the options change. */
export async function notesEntry(options: NotesOptions = {}): Promise<NotesEntry> {
  const { period = firstPeriod, chainid = '324', curve = 1, coupons = points, account = noteSigner } = options
  const verifyingContract = options.pool ?? pool
  const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract }
  const notes = Object.entries(coupons).map(async ([days, coupon]) => {
    const tenorDays = Number(days)
    const maturityTimestamp = maturityOf({ noteDay: period.noteDay, tenorDays })
    const window = { validAfter: period.start - 1n, validBefore: period.end, startedAt: period.noteDay }
    const change = tenorDays === 7 ? options.terms : {}
    const terms = { chainId: Number(chainid), maturityTimestamp, coupon: BigInt(coupon), ...window, ...change }
    const { r, s, yParity } = parseSignature(await signOnce(account, terms, domain))
    return encodeNote({ ...terms, signature: { r, s, v: yParity === 0 ? 27 : 28 } })
  })
  return {
    v: 1,
    type: 'notes',
    salt,
    chainid,
    pool: verifyingContract,
    domain: { ...domain, chainId: Number(chainid) },
    period: { start: String(period.start), end: String(period.end), noteDay: String(period.noteDay) },
    signer: account.address,
    curve,
    issuedAt: String(period.start - 600n),
    notes: await Promise.all(notes),
  }
}

/** Returns consecutive periods. */
export function periodsFrom(period: Period, count: number): Period[] {
  const periods = [period]
  while (periods.length < count) periods.push(periodAfter(periods.at(-1) as Period))
  return periods
}

export type MonitorSetting = {
  readonly state?: MonitorState
  readonly rpcs?: ReadonlyMap<number, readonly string[]>
  readonly pools?: ReadonlyMap<number, readonly string[]>
  readonly save?: (state: MonitorState) => Promise<void>
  readonly repeatsFindings?: boolean
  readonly pause?: (ms: number) => Promise<void>
}

/** A log over HTTP with a signer and a curve, and a monitor of it whose clock stands still. `stepMs` is how far that clock was set. */
export async function startMonitoredLog() {
  const log = createPublicLog()
  log.append(formatLogEntry(signerEntry()))
  log.append(formatLogEntry(curveEntry()))
  log.publish()
  const server = await servePublicLog(log)
  onTestFinished(() => server.close())
  const clock = { nowMs: Number(firstPeriod.start) * 1000 + 60_000, stepMs: 0 }
  const monitor = ({ rpcs = new Map(), ...setting }: MonitorSetting = {}) => {
    const events: MonitorEvent[] = []
    const controller = new AbortController()
    onTestFinished(() => controller.abort())
    const created = createMonitor({
      url: server.url,
      key: parseVerifierKey(log.key) as VerifierKey,
      state: createState(log.key),
      pools: new Map(),
      save: async () => undefined,
      pause: async () => undefined,
      repeatsFindings: false,
      ...setting,
      rpcs,
      say: (event) => events.push(event),
      time: { now: () => clock.nowMs + clock.stepMs, monotonic: () => clock.nowMs },
      signal: controller.signal,
    })
    const messagesOf = (kind: MonitorEvent['event']) => events.filter(({ event }) => event === kind)
    return {
      ...created,
      state: created.context.state,
      events,
      stop: () => controller.abort(),
      findings: () => events.flatMap((event) => (event.event === 'finding' ? [event] : [])),
      kinds: () => events.flatMap((event) => (event.event === 'finding' ? [event.kind] : [])),
      warnings: () => messagesOf('warning').map(({ message }) => message),
      /** Checks and returns the kinds of all findings so far. */
      checkKinds: async () => {
        await created.check()
        return events.flatMap((event) => (event.event === 'finding' ? [event.kind] : []))
      },
    }
  }
  const publish = (...entries: readonly object[]) => {
    for (const entry of entries) log.append(JSON.stringify(entry))
    log.publish()
  }
  return { log, server, clock, monitor, publish }
}
