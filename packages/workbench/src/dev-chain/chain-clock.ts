/** The time of a development chain, in Unix seconds. Its seconds turn with those of the system's clock. */
export type ChainClock = {
  now(): number
  /** Makes `second` the present one. Time runs on from it. */
  set(second: number): void
  /** Returns a function that undoes what was set since. */
  remember(): () => void
}

export function createChainClock(systemNowMs: () => number): ChainClock {
  const systemSecond = () => Math.floor(systemNowMs() / 1000)
  let offsetSeconds = 0
  return {
    now: () => systemSecond() + offsetSeconds,
    set: (second) => {
      offsetSeconds = second - systemSecond()
    },
    remember: () => {
      const remembered = offsetSeconds
      return () => {
        offsetSeconds = remembered
      }
    },
  }
}
