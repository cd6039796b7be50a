import { periodAfter, periodAt } from '@tallystick/core'
import { createClientIn } from '../src/create-client.ts'
import type { WatchNotesOptions } from '../src/notes/watch-notes.ts'
import type { NotesState } from '../src/notes/watch-state.ts'
import { apiKey, type FakeApi, morning, noEvents } from './fake-api.ts'
import { createSimulatedWorld, type SimulatedWorld, type WorldOptions } from './simulated-world.ts'

export const seconds = 1_000
export const minutes = 60 * seconds
export const hours = 60 * minutes
export const days = 24 * hours
export const unavailable = { status: 500, code: 'notes_unavailable' }

export type Watched = {
  readonly world: SimulatedWorld
  readonly states: { readonly state: NotesState; readonly at: number }[]
  readonly stop: () => void
  /** Returns the last reported state. */
  held(): NotesState | undefined
}

/** Starts a watch on a simulated machine. Each reported state is checked against the true time. */
export function watchIn(api: FakeApi, options: Partial<WorldOptions> & WatchNotesOptions = {}): Watched {
  const { startMs = morning, skewMs = 0, minRemaining = 30, ...rest } = options
  const world = createSimulatedWorld({ startMs, skewMs, hanging: () => api.hanging, ...rest })
  api.now = world.trueNow
  const states: Watched['states'] = []
  const client = createClientIn(world, { baseUrl: api.baseUrl, apiKey })
  const callback = (state: NotesState) => {
    states.push({ state, at: world.trueNow() })
    // The watch rethrows it in a microtask, so vitest fails the run.
    assertUsable(state, { at: world.trueNow(), minRemaining })
  }
  const { onError, signal, chainId, maturity, stream } = options
  const stop = client.watchNotes(callback, { minRemaining, onError, signal, chainId, maturity, stream })
  return { world, states, stop, held: () => states.at(-1)?.state }
}

/** Throws if a state contains a note that the pool would reject, now or too soon. */
export function assertUsable(
  state: NotesState | undefined,
  { at, minRemaining }: { at: number; minRemaining: number },
) {
  if (state?.status !== 'ready') return
  for (const { validAfter, validBefore } of state.notes) {
    const isValid = Math.floor(at / 1000) > Number(validAfter)
    if (isValid && at + minRemaining * seconds <= Number(validBefore) * seconds) continue
    throw new Error(`At ${new Date(at).toISOString()} a note is held of ${validAfter} to ${validBefore}.`)
  }
}

/** Returns the boundaries after an instant, up to and including another. */
export function boundariesBetween(fromMs: number, toMs: number): readonly number[] {
  const found: number[] = []
  let period = periodAt(BigInt(Math.floor(fromMs / 1000)))
  while (Number(period.end) * 1000 <= toMs) {
    found.push(Number(period.end) * 1000)
    period = periodAfter(period)
  }
  return found
}

/** Clears the requests and faults of earlier tests. */
export function resetApi(api: FakeApi): void {
  api.requests.length = 0
  api.mishaps.length = 0
  api.mishapOf = () => undefined
  api.headers = {}
  api.streamRequests.length = 0
  api.answerEvents = noEvents
}
