/** Returns the number of lines left out since the last one if a line of this kind is due, otherwise undefined. */
export type LogThrottle = (what: string) => { readonly leftOut: number } | undefined

// One line per 10 s is enough. One per failed request would fill the disk.
const everyMs = 10_000
// Failures have a handful of kinds; a text that is new each time must not be remembered for ever.
const kindsMax = 50

/** Allows the first line of each kind at once, and further ones at most every ten seconds. */
export function createLogThrottle(monotonicNow: () => number): LogThrottle {
  const said = new Map<string, { atMs: number; leftOut: number }>()
  return (what) => {
    const nowMs = monotonicNow()
    const last = said.get(what)
    if (last && nowMs - last.atMs < everyMs) {
      last.leftOut++
      return undefined
    }
    if (!last && said.size >= kindsMax) said.clear()
    said.set(what, { atMs: nowMs, leftOut: 0 })
    return { leftOut: last?.leftOut ?? 0 }
  }
}
