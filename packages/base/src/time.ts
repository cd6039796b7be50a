/** Clock of the service, in Unix ms. All code reads the time from it. */
export type Clock = { now(): number }

/** Clock, stopwatch and timers. Tests and the sandbox replace them. Limits of network I/O are always in real time. */
export type Time = Clock & {
  /** Returns milliseconds since a fixed instant. Steps of the clock do not change them. */
  monotonic(): number
  /** Calls back once when a wait is over. A timer does not keep the process running. */
  setTimer(wait: Wait, callback: () => void): Timer
}

export type Wait = {
  /** Tells tests which wait it is. */
  readonly name: string
  readonly ms: number
}

export type Timer = { stop(): void }

export type ShiftableTime = Time & {
  /** Stops the clock at an instant until `run`. */
  hold(instantMs: number): void
  /** Continues from the held instant. */
  run(): void
}

/** Time of this machine. The clock is read at every call, so it follows steps of the system clock (NTP, sleep). */
export const systemTime: Time = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer: ({ ms }, callback) => {
    const timer = setTimeout(callback, ms).unref()
    return { stop: () => clearTimeout(timer) }
  },
}

/** Creates a time whose clock can be shifted to rehearse a boundary. It follows steps of the system clock. */
export function createTime(systemNow: () => number = Date.now): ShiftableTime {
  let offsetMs = 0
  let heldAtMs: number | undefined
  return {
    ...systemTime,
    now: () => heldAtMs ?? systemNow() + offsetMs,
    hold: (instantMs) => {
      heldAtMs = instantMs
    },
    run: () => {
      if (heldAtMs === undefined) return
      offsetMs = heldAtMs - systemNow()
      heldAtMs = undefined
    },
  }
}

/** Calls `work` after each wait, until it is stopped. It does not wait for the end of the work. */
export function repeat(time: Pick<Time, 'setTimer'>, wait: Wait, work: () => unknown): Timer {
  let timer: Timer
  const begin = () => {
    timer = time.setTimer(wait, () => {
      begin()
      work()
    })
  }
  begin()
  return { stop: () => timer.stop() }
}

/** Resolves when a wait is over. */
export function sleep(time: Pick<Time, 'setTimer'>, wait: Wait): Promise<void> {
  return new Promise((resolve) => void time.setTimer(wait, resolve))
}

/** Returns the second that contains an instant. */
export function toSeconds(instantMs: number): bigint {
  return BigInt(Math.floor(instantMs / 1000))
}
