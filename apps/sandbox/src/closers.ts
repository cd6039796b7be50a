/** Things with a life, ended in the reverse of the order in which they were begun. */
export type Closers = {
  /** Remembers what is being begun: from this call on, also before it is there, `close` ends it. */
  keep<Thing extends { stop(): Promise<void> }>(thing: Promise<Thing>): Promise<Thing>
  close(): Promise<void>
  isClosing(): boolean
}

export function createClosers(): Closers {
  const kept: Promise<{ stop(): Promise<void> }>[] = []
  let closing = false
  return {
    keep: (thing) => {
      kept.push(thing)
      return thing
    },
    close: async () => {
      closing = true
      for (const thing of kept.splice(0).reverse()) {
        // What could not be begun has nothing to end, and was told where it was begun.
        const begun = await thing.catch(() => undefined)
        await begun?.stop()
      }
    },
    isClosing: () => closing,
  }
}
