/** Whether something is to be said now, and how often it was left unsaid since the last time. */
export type Seldom = (what: string) => { readonly leftOut: number } | undefined

// What is said every few seconds is seen; what is said with every request of an outage fills the disk.
const everyMs = 10_000
// Failures have a handful of kinds; a text that is new each time must not be remembered for ever.
const kindsMax = 50

/** Lets each thing be said at once, and then at most every ten seconds as long as it goes on. */
export function createSeldom(monotonicNow: () => number): Seldom {
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
