import { settleWithin, type Time } from '@tallystick/base'
import { type NotesResponse, type OpenapiParameter, TallystickError } from '@tallystick/core'
import { jsonType, type MemoryResponse, rememberAnswer, sendResponse } from '@tallystick/http'
import {
  askNotes,
  type ClockDispute,
  type ClockMonitor,
  describeWithheld,
  type IssueScheduler,
  type NotesAnswer,
  type NotesFilter,
  type PublishedNotes,
  type WithheldNotes,
} from '@tallystick/issuer'
import type { RouteHandlerMethod } from 'fastify'
import type { ChainConfig } from '../config/config.ts'
import { describeGet, jsonContent } from '../openapi/describe-operation.ts'
import { curl, keyHeader, typescript } from '../openapi/samples.ts'
import { queryParameters } from '../openapi/schemas.ts'
import type { Route } from '../routing/route.ts'
import { assertKnownTenors, parseNotesQuery } from './notes-query.ts'

export type NotesParts = {
  readonly published: PublishedNotes
  readonly scheduler: Pick<IssueScheduler, 'catchUp'>
  readonly time: Pick<Time, 'now'>
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
    const asked = askNotes(parts.published, { filter, chains: requested })
    rememberAnswer(request, { recall: asked.answer, respond: toResponse })
    const found = await findAnswer(parts, { asked, filter, nowMs: request.nowMs })
    if (!found) {
      const dispute = parts.clocks.findDispute(parts.time.now())
      throw dispute ? disputed(dispute) : unavailable(filter, findReasons(parts, requested))
    }
    return sendResponse(reply, toResponse(found.answer, found.nowMs))
  }
  return { method: 'GET', url: '/notes', scope: 'notes', isOpenToVisitors: true, describe: describeNotes, handler }
}

function toResponse({ body, etag, log, complete, endMs }: NotesAnswer, nowMs: number): MemoryResponse {
  // An incomplete answer may change within a second. A complete one is constant until the boundary.
  const cacheControl = complete ? `private, max-age=${Math.floor((endMs - nowMs) / 1000)}` : 'private, no-cache'
  return { body, mediaType: jsonType, etag, headers: { 'x-tallystick-log': log, 'cache-control': cacheControl } }
}

type Wanted = {
  readonly asked: ReturnType<typeof askNotes>
  readonly filter: NotesFilter
  readonly nowMs: number
}

/** An answer and the instant that it is for. */
type Found = { readonly answer: NotesAnswer; readonly nowMs: number }

/** Returns the answer for an instant. If there is none, issues missing notes and looks again. */
async function findAnswer(
  { scheduler, time, clocks }: Omit<NotesParts, 'published'>,
  { asked, filter, nowMs }: Wanted,
): Promise<Found | undefined> {
  const lookUp = (atMs: number): Found | undefined => {
    const answer = asked.answer(atMs)
    return answer && { answer, nowMs: atMs }
  }
  // A missing note of a known tenor is an outage instead.
  const assertKnown = (atMs: number) => filter.tenors && assertKnownTenors(filter.tenors, asked.knownTenors(atMs))
  const found = lookUp(nowMs)
  if (found) return found
  // A set that is not in memory yet may have a tenor that is no longer configured.
  if (asked.hasAllSets(nowMs)) assertKnown(nowMs)
  // After the machine slept, the estimates of the other clocks are late until the next measurement.
  const refreshed = clocks.refresh()
  const issued = scheduler.catchUp(filter.chainId)
  await settleWithin(
    issued.then<unknown>(() => lookUp(time.now()) ?? refreshed),
    catchUpMs,
  )
  assertKnown(time.now())
  return lookUp(time.now())
}

/** Returns the notes of the requested chains that are withheld now, and why. */
function findReasons({ published, time }: NotesParts, chains: readonly OfferingChain[]): readonly WithheldChain[] {
  return chains.flatMap(({ id }) => {
    const withheld = published.findWithheld(id, time.now())
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

const description = `Returns the notes of the current New York period (00:00 to 18:00 or 18:00 to 24:00). A response never contains an expired or not-yet-valid note. If the current notes are unavailable, the status is 500.

The note set does not change within its period. Cache it for \`max-age\`, and fetch again when the time is no longer between \`signature_valid_after\` and \`signature_valid_before\`, both excluded.`

const ifNoneMatch: OpenapiParameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the cached response. [entity tag]',
  schema: { type: 'string', 'x-unit': 'entity tag', examples: ['"kHqFZ2nWcWg0vSL4nRzLhA"'] },
}

/** `GET /notes` (SPEC.md §4.1). */
const describeNotes = describeGet(({ context, chainId }) => ({
  operationId: 'getNotes',
  tag: 'Notes',
  summary: 'Current notes',
  description,
  parameters: [...queryParameters('notes', context), ifNoneMatch],
  response: 'The notes, sorted by chain, then maturity.',
  content: jsonContent('NotesResponse', {
    notes: { summary: 'Two tenors of one chain', value: exampleNotes(chainId) },
  }),
  notModified: 'The notes match `If-None-Match`. There is no body.',
  headers: ['x-tallystick-log'],
  codes: ['invalid_chainid', 'invalid_maturity', 'invalid_parameter', 'notes_unavailable'],
  samples: [
    curl(`curl "$TALLYSTICK_URL/notes?chainid=${chainId}&maturity=7,14"`, keyHeader),
    typescript(
      `const { notes } = await client.notes({ chainId: ${chainId}, maturity: [7, 14] })`,
      'for (const note of notes) console.log(note.coupon, note.maturityTimestamp, note.validBefore)',
    ),
  ],
}))

/** Returns expired notes with real signatures, by the key of FACTS.md §1 for its pool on chain 324. */
function exampleNotes(chainId: number): NotesResponse {
  const terms = {
    note_started_at: '1794632400',
    signature_valid_after: '1794697199',
    signature_valid_before: '1794718800',
    chainid: String(chainId),
  }
  return {
    message: 'Treasury notes of 2026-11-14, 18:00 to 24:00 New York.',
    data: [
      {
        maturity_timestamp: '1795237200',
        coupon: '369',
        signature: {
          r: '0x530befe5b312af7e9c247b32f4b75244dc5e911bebbf1b941c9d0d62d0041d90',
          s: '0x1c7b2b0c48dd8c864143517f6c215857301ffb4c9e092556baf2201b61afe3ab',
          v: 28,
        },
        ...terms,
      },
      {
        maturity_timestamp: '1795842000',
        coupon: '365',
        signature: {
          r: '0xbfbc71c58ebbc5ee9436d85fab7fb1f8979a109eda0e468b60b940d069484bce',
          s: '0x1fef712799136f000cb190541a5c7f49b8ff2bc8060c85ad639b36693b28e892',
          v: 27,
        },
        ...terms,
      },
    ],
    availableMaturities: [7, 14, 30, 60, 90, 180, 360],
  }
}
