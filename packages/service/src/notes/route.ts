import { type Clock, settleWithin, toSeconds } from '@tallystick/base'
import { periodAt, TallystickError } from '@tallystick/core'
import { matchesEtag } from '@tallystick/http'
import {
  type ClockDispute,
  type ClockMonitor,
  describeWithheld,
  type IssueScheduler,
  type NoteSet,
  type NotesAnswer,
  type NotesFilter,
  type PublishedNotes,
  type WithheldNotes,
} from '@tallystick/issuer'
import type { RouteHandlerMethod } from 'fastify'
import type { ChainConfig } from '../config/config.ts'
import type { Route } from '../routing/route.ts'
import { describeNotes } from './describe-notes.ts'
import { assertKnownTenors, parseNotesQuery } from './notes-query.ts'

export type NotesParts = {
  readonly published: PublishedNotes
  readonly scheduler: Pick<IssueScheduler, 'catchUp'>
  readonly clock: Clock
  readonly clocks: Pick<ClockMonitor, 'findDispute' | 'refresh'>
}

// Enough to sign a set after a clock jump, and well below common client timeouts.
const catchUpMs = 2_000
const retryAfterSeconds = 5

type OfferingChain = Pick<ChainConfig, 'id' | 'tenors'>

/** Creates `GET /notes` (SPEC.md §4.1). `chains` are ascending by id. */
export function createNotesRoute(parts: NotesParts, chains: readonly OfferingChain[]): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    const chainIds = chains.map(({ id }) => id)
    const filter = parseNotesQuery(request.query as Record<string, unknown>, { chainIds })
    const requested = chains.filter(({ id }) => filter.chainId === undefined || filter.chainId === id)
    const found = await findAnswer(parts, { filter, chains: requested, nowMs: request.nowMs })
    if (!found) {
      const dispute = parts.clocks.findDispute(parts.clock.now())
      throw dispute ? disputed(dispute) : unavailable(filter, findReasons(parts, requested))
    }
    const { answer, maxAgeSeconds } = found
    reply.header('etag', answer.etag)
    if (answer.log !== undefined) reply.header('x-tallystick-log', answer.log)
    // An incomplete answer may change within a second. A complete one is constant until the boundary.
    reply.header('cache-control', answer.complete ? `private, max-age=${maxAgeSeconds}` : 'private, no-cache')
    if (matchesEtag(request.headers['if-none-match'], answer.etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(answer.body)
  }
  return { method: 'GET', url: '/notes', scope: 'notes', describe: describeNotes, handler }
}

type Found = { readonly answer: NotesAnswer; readonly maxAgeSeconds: number }

type Wanted = {
  readonly filter: NotesFilter
  /** The requested chains. */
  readonly chains: readonly OfferingChain[]
  readonly nowMs: number
}

/** Returns the answer for an instant. If there is none, issues missing notes and looks again. */
async function findAnswer(
  { published, scheduler, clock, clocks }: NotesParts,
  wanted: Wanted,
): Promise<Found | undefined> {
  const found = lookUp(published, wanted)
  if (found) return found
  // A set that is not in memory yet may have a tenor that is no longer configured.
  if (findSets(published, wanted).length === wanted.chains.length) assertKnown(published, wanted)
  // After the machine slept, the estimates of the other clocks are late until the next measurement.
  const refreshed = clocks.refresh()
  const lookUpNow = () => lookUp(published, { ...wanted, nowMs: clock.now() })
  const issued = scheduler.catchUp(wanted.filter.chainId)
  await settleWithin(
    issued.then<unknown>(() => lookUpNow() ?? refreshed),
    catchUpMs,
  )
  assertKnown(published, { ...wanted, nowMs: clock.now() })
  return lookUpNow()
}

function lookUp(published: PublishedNotes, wanted: Wanted): Found | undefined {
  const { filter, nowMs } = wanted
  const period = published.at(nowMs)
  if (!period || !hasKnownTenors(published, wanted)) return undefined
  const answer = period.answer(filter)
  return answer && { answer, maxAgeSeconds: Math.floor((period.endMs - nowMs) / 1000) }
}

function hasKnownTenors(published: PublishedNotes, wanted: Wanted): boolean {
  const { tenors = [] } = wanted.filter
  const isConfigured = (tenor: number) => wanted.chains.some((chain) => chain.tenors.includes(tenor))
  return tenors.every((tenor) => isConfigured(tenor) || listKnownTenors(published, wanted).includes(tenor))
}

/** Throws `invalid_maturity` for a tenor that the requested chains do not offer. A missing note is an outage instead. */
function assertKnown(published: PublishedNotes, wanted: Wanted): void {
  const { tenors } = wanted.filter
  if (tenors) assertKnownTenors(tenors, listKnownTenors(published, wanted))
}

/** Lists the configured tenors of the requested chains, and those signed before the configuration changed. */
function listKnownTenors(published: PublishedNotes, wanted: Wanted): readonly number[] {
  const signed = findSets(published, wanted).flatMap(({ notes }) => notes.map(({ tenorDays }) => tenorDays))
  return [...new Set([...wanted.chains.flatMap(({ tenors }) => tenors), ...signed])].sort((a, b) => a - b)
}

/** Returns the sets in memory for an instant, also those that are withheld or whose period is disputed. */
function findSets(published: PublishedNotes, { chains, nowMs }: Wanted): NoteSet[] {
  const { start } = periodAt(toSeconds(nowMs))
  return chains.flatMap(({ id }) => published.find(id, start) ?? [])
}

/** Returns the notes of the requested chains that are withheld now, and why. */
function findReasons({ published, clock }: NotesParts, chains: readonly OfferingChain[]): readonly WithheldChain[] {
  return chains.flatMap(({ id }) => {
    const withheld = published.findWithheld(id, clock.now())
    return withheld ? [{ chainId: id, withheld }] : []
  })
}

type WithheldChain = { readonly chainId: number; readonly withheld: WithheldNotes }

function unavailable({ chainId, tenors }: NotesFilter, reasons: readonly WithheldChain[]): TallystickError {
  const notes = tenors === undefined ? 'notes' : `notes of ${tenors.join(' or ')} days`
  const none =
    `There are no ${notes} for the current period${chainId === undefined ? '' : ` on chain ${chainId}`}. ` +
    'Notes of earlier periods have expired.'
  const withheld = reasons.flatMap((reason) => describeWithheld(reason.chainId, reason.withheld))
  const details = reasons.map((reason) => ({
    chainid: String(reason.chainId),
    maturities: reason.withheld.tenors,
    reason: reason.withheld.clause,
  }))
  return new TallystickError({
    code: 'notes_unavailable',
    message: `${withheld.length > 0 ? withheld.join(' ') : none} Retry in ${retryAfterSeconds} seconds.`,
    retryable: true,
    retryAfterSeconds,
    ...(details.length > 0 && { details: { withheld: details } }),
  })
}

function disputed({ message, reference, retryAfterSeconds }: ClockDispute): TallystickError {
  return new TallystickError({
    code: 'notes_unavailable',
    message: `${message} Notes are served only while the clocks agree. Retry in ${retryAfterSeconds} seconds.`,
    retryable: true,
    retryAfterSeconds,
    details: { reference },
  })
}
