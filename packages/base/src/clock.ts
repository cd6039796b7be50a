/** Clock of the service, in Unix ms. All code reads the time from it. */
export type Clock = { now(): number }

export type ShiftableClock = Clock & {
  /** Stops the clock at an instant until `run`. */
  hold(instantMs: number): void
  /** Continues from the held instant. */
  run(): void
}

/**
 * Creates a clock that reads the system time at every call, so it follows steps of the system clock (NTP, sleep). It can
 * be shifted to rehearse a boundary.
 */
export function createClock(systemNow: () => number = Date.now): ShiftableClock {
  let offsetMs = 0
  let heldAtMs: number | undefined
  return {
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

/** Returns the second that contains an instant. */
export function toSeconds(instantMs: number): bigint {
  return BigInt(Math.floor(instantMs / 1000))
}
