import { TallystickError } from '@tallystick/core'
import type { RouteHandlerMethod } from 'fastify'
import type { Clock } from '../clock.ts'
import { matchesEtag } from '../http/matches-etag.ts'
import { describeNotes } from '../openapi/describe-notes.ts'
import type { Route } from '../route.ts'
import type { ClockDispute } from '../time/clock-comparison.ts'
import type { ClockMonitor } from '../time/clock-monitor.ts'
import type { IssueScheduler } from './issue/issue-scheduler.ts'
import { assertOffered, parseNotesQuery } from './notes-query.ts'
import type { NotesAnswer, NotesFilter, PublishedNotes } from './published-notes.ts'

export type NotesParts = {
  readonly published: PublishedNotes
  readonly scheduler: Pick<IssueScheduler, 'catchUp'>
  readonly clock: Clock
  readonly time: Pick<ClockMonitor, 'findDispute' | 'refresh'>
}

// Enough to sign a set after a clock jump, and well below common client timeouts.
const catchUpMs = 2_000
const retryAfterSeconds = 5

/** `GET /notes` (SPEC.md §4.1). */
export function createNotesRoute({
  parts,
  chainIds,
}: {
  readonly parts: NotesParts
  readonly chainIds: readonly number[]
}): Route {
  const handler: RouteHandlerMethod = async (request, reply) => {
    const filter = parseNotesQuery(request.query as Record<string, unknown>, { chainIds })
    const found = await findAnswer(parts, { filter, nowMs: request.nowMs })
    if (!found) {
      const dispute = parts.time.findDispute(parts.clock.now())
      throw dispute ? disputed(dispute) : unavailable(filter.chainId)
    }
    const { answer, maxAgeSeconds } = found
    reply.header('etag', answer.etag)
    // An incomplete answer may change within a second. A complete one is constant until the boundary.
    reply.header('cache-control', answer.complete ? `private, max-age=${maxAgeSeconds}` : 'private, no-cache')
    if (matchesEtag(request.headers['if-none-match'], answer.etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(answer.body)
  }
  return { method: 'GET', url: '/notes', scope: 'notes', describe: describeNotes, handler }
}

type Found = { readonly answer: NotesAnswer; readonly maxAgeSeconds: number }

/** Returns the answer for an instant. If there is none, issues missing notes and looks again. */
async function findAnswer(
  { published, scheduler, clock, time }: NotesParts,
  { filter, nowMs }: { readonly filter: NotesFilter; readonly nowMs: number },
): Promise<Found | undefined> {
  const found = lookUp(published, { filter, nowMs })
  if (found) return found
  // After the machine slept, the estimates of the other clocks are late until the next measurement.
  await withinMs(Promise.all([scheduler.catchUp(), time.refresh()]), catchUpMs)
  return lookUp(published, { filter, nowMs: clock.now() })
}

function lookUp(
  published: PublishedNotes,
  { filter, nowMs }: { readonly filter: NotesFilter; readonly nowMs: number },
): Found | undefined {
  const period = published.at(nowMs)
  if (!period) return undefined
  if (filter.tenors) assertOffered(filter.tenors, period.tenors(filter.chainId))
  const answer = period.answer(filter)
  return answer && { answer, maxAgeSeconds: Math.floor((period.endMs - nowMs) / 1000) }
}

async function withinMs(work: Promise<unknown>, limitMs: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, limitMs)
  })
  await Promise.race([work, limit])
  clearTimeout(timer)
}

function unavailable(chainId: number | undefined): TallystickError {
  return new TallystickError({
    code: 'notes_unavailable',
    message:
      `There are no notes for the current period${chainId === undefined ? '' : ` on chain ${chainId}`}. ` +
      `Notes of earlier periods have expired. Retry in ${retryAfterSeconds} seconds.`,
    retryable: true,
    retryAfterSeconds,
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
