/** Clock of a development chain in Unix seconds. Its seconds start with those of the system clock. */
export type ChainClock = ReturnType<typeof createChainClock>

export function createChainClock(systemNowMs: () => number) {
  const systemSecond = () => Math.floor(systemNowMs() / 1000)
  let offsetSeconds = 0
  return {
    now: () => systemSecond() + offsetSeconds,
    /** Sets the current time. The clock continues from it. */
    set: (second: number) => {
      offsetSeconds = second - systemSecond()
    },
    /** Returns a function that restores the present offset. */
    remember: () => {
      const remembered = offsetSeconds
      return () => {
        offsetSeconds = remembered
      }
    },
  }
}
