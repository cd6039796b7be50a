import type { Environment, Reading } from '../src/environment.ts'

type Timer = { readonly run: () => void; readonly at: number }

/** Simulated machine: its time only advances on request, and its clocks may be wrong. */
export type SimulatedWorld = Environment & {
  /** True time, Unix milliseconds. */
  trueNow(): number
  /** Advances time to an instant and runs every due timer. */
  runUntil(instantMs: number): Promise<void>
  /** Advances time while the machine sleeps: nothing runs, and timers are suspended. */
  sleepUntil(instantMs: number): void
  /** Sets the machine's clock. */
  stepWallClock(stepMs: number): void
  /** Fires the event of a tab that becomes visible. */
  wake(): void
  /** Number of bytes of streams that were read. They arrive in real time. */
  streamedBytes(): number
  /** Called after every timer. */
  onStep: () => void
}

export type WorldOptions = {
  readonly startMs: number
  /** How far the machine's clock is ahead of true time. */
  readonly skewMs: number
  /** Duration of each request, half of it before it reaches the service. */
  readonly latencyMs?: number | undefined
  /** Seed of the randomness; 0 returns only zeros. */
  readonly seed?: number | undefined
  /** Number of requests that the service leaves without a response. They are not awaited. */
  readonly hanging?: (() => number) | undefined
}

/** Creates a simulated machine. Requests go to a real server over the network; only time is simulated. */
export function createSimulatedWorld(options: WorldOptions): SimulatedWorld {
  const { startMs, skewMs, latencyMs = 80, seed = 1, hanging = () => 0 } = options
  let now = startMs
  let skew = skewMs
  let monotonicLag = 0
  // Requests that the client waits for, and those of them that the server is processing.
  let pending = 0
  let inFlight = 0
  // Whether a request was pending since everything last settled. Otherwise there is nothing to wait for.
  let isBusy = false
  let random = seed
  const timers = new Map<number, Timer>()
  const listeners = new Set<() => void>()
  let timerId = 0

  let streamed = 0
  const count = (body: ReadableStream<Uint8Array> | null) =>
    body?.pipeThrough(
      new TransformStream<Uint8Array, Uint8Array>({
        transform: (chunk, controller) => {
          streamed += chunk.length
          controller.enqueue(chunk)
        },
      }),
    )

  // Timers run on the monotonic clock, which stops during sleep.
  const monotonic = () => now - startMs - monotonicLag
  const setTimer = (run: () => void, delayMs: number) => {
    timers.set(++timerId, { run, at: monotonic() + delayMs })
    return timerId
  }
  const wait = (delayMs: number) => new Promise<void>((resolve) => setTimer(resolve, delayMs))
  const settle = async () => {
    // Promises settle between iterations; real I/O may take longer.
    while (isBusy || inFlight > hanging()) {
      isBusy = false
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  const world: SimulatedWorld = {
    fetch: async (url, init) => {
      pending++
      await wait(latencyMs / 2)
      inFlight++
      const answer = await fetch(url, init)
        .then(
          async (response) =>
            new Response(isStream(response) ? count(response.body) : await response.arrayBuffer(), response),
        )
        .catch((error: unknown) => ({ error }))
        .finally(() => inFlight--)
      await wait(latencyMs / 2)
      pending--
      isBusy = true
      if ('error' in answer) throw answer.error
      return answer
    },
    clock: {
      read: (): Reading => ({ wall: now + skew, monotonic: monotonic() }),
      setTimeout: setTimer,
      clearTimeout: (timer) => timers.delete(timer as number),
    },
    // A linear congruential generator, so that runs are reproducible.
    random: () => {
      random = seed === 0 ? 0 : (random * 1_103_515_245 + 12_345) % 2 ** 31
      return random / 2 ** 31
    },
    onWake: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    trueNow: () => now,
    streamedBytes: () => streamed,
    runUntil: async (instantMs) => {
      await settle()
      for (;;) {
        const next = firstOf(timers)
        const at = next ? next.timer.at + startMs + monotonicLag : Number.POSITIVE_INFINITY
        if (!next || at > instantMs) break
        timers.delete(next.id)
        now = Math.max(now, at)
        isBusy ||= pending > 0
        next.timer.run()
        if (isBusy) await settle()
        world.onStep()
      }
      now = instantMs
    },
    sleepUntil: (instantMs) => {
      monotonicLag += instantMs - now
      now = instantMs
    },
    stepWallClock: (stepMs) => {
      skew += stepMs
    },
    wake: () => {
      for (const listener of listeners) listener()
    },
    onStep: () => {},
  }
  return world
}

/** Returns whether the body does not end. */
function isStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') ?? false
}

function firstOf(timers: ReadonlyMap<number, Timer>) {
  let first: { readonly id: number; readonly timer: Timer } | undefined
  for (const [id, timer] of timers) if (!first || timer.at < first.timer.at) first = { id, timer }
  return first
}
