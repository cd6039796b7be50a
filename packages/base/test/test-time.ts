import { createTime, type ShiftableTime, type Time, type Timer } from '@tallystick/base'

export type TestTimeOptions = {
  /** How long the waits of a name last in real time. */
  readonly waits?: Readonly<Record<string, (ms: number) => number>> | undefined
  /** Names of waits that last until `release`. */
  readonly held?: readonly string[] | undefined
  /** By default that of this machine. */
  readonly monotonic?: (() => number) | undefined
}

export type TestTime = ShiftableTime & {
  /** Returns how long each held wait of a name was to last. */
  heldOf(name: string): readonly number[]
  /** Ends the held waits of a name. Later ones end at once. */
  release(name: string): void
}

export const atMost = (maxMs: number) => (ms: number) => Math.min(ms, maxMs)
export const faster = (times: number) => (ms: number) => ms / times

/** Real time, except for what the test changes: the clock, the stopwatch and the waits that it names. */
export function createTestTime({ waits = {}, held = [], monotonic }: TestTimeOptions = {}): TestTime {
  const real = createTime()
  const holds = new Map(held.map((name) => [name, createHold()]))
  return {
    ...real,
    monotonic: monotonic ?? real.monotonic,
    setTimer: ({ name, ms }, callback) =>
      holds.get(name)?.add(ms, callback) ?? real.setTimer({ name, ms: waits[name]?.(ms) ?? ms }, callback),
    heldOf: (name) => holds.get(name)?.added ?? [],
    release: (name) => holds.get(name)?.release(),
  }
}

function createHold() {
  const added: number[] = []
  const callbacks = new Set<() => void>()
  let isReleased = false
  return {
    added,
    add: (ms: number, callback: () => void): Timer => {
      added.push(ms)
      if (isReleased) queueMicrotask(callback)
      else callbacks.add(callback)
      return { stop: () => void callbacks.delete(callback) }
    },
    release: () => {
      isReleased = true
      for (const callback of callbacks) callback()
      callbacks.clear()
    },
  }
}

/** Time that stands still until the test advances it. */
export type ManualTime = Time & { advance(ms: number): void }

export function createManualTime(startMs = 0): ManualTime {
  let passedMs = 0
  const timers = new Map<Timer, { readonly atMs: number; readonly callback: () => void }>()
  const findDue = () =>
    [...timers].filter(([, { atMs }]) => atMs <= passedMs).sort(([, a], [, b]) => a.atMs - b.atMs)[0]
  return {
    now: () => startMs + passedMs,
    monotonic: () => passedMs,
    setTimer: ({ ms }, callback) => {
      const timer = { stop: () => void timers.delete(timer) }
      timers.set(timer, { atMs: passedMs + ms, callback })
      return timer
    },
    advance: (ms) => {
      passedMs += ms
      for (let due = findDue(); due; due = findDue()) {
        timers.delete(due[0])
        due[1].callback()
      }
    },
  }
}
