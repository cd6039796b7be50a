/** Clock of a development chain in Unix seconds. Its seconds start with those of the system clock. */
export type ChainClock = {
  now(): number
  /** Sets the current time. The clock continues from it. */
  set(second: number): void
  /** Returns a function that restores the present offset. */
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
