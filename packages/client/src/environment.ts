/** One moment, by both clocks of the machine, in milliseconds. */
export type Reading = {
  /** Unix time as the machine believes it: may be wrong, and may be set. */
  readonly wall: number
  /** Never set; on some systems it stands still while the machine sleeps. */
  readonly monotonic: number
}

export type Clock = {
  read(): Reading
  setTimeout(run: () => void, delayMs: number): unknown
  clearTimeout(timer: unknown): void
}

/** As much of `fetch` as the client uses. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>

/** Everything outside that the client touches, so that a test can hand in another world. */
export type Environment = {
  readonly fetch: FetchFunction
  readonly clock: Clock
  /** From 0 up to 1, that excluded. */
  readonly random: () => number
  /** Calls back when a tab, a page or the network comes back. Gives what ends that. */
  readonly onWake: (listener: () => void) => () => void
}

/** The platform's own clocks, dice, network and events: browsers and Node alike. */
export function createEnvironment(fetch: FetchFunction | undefined): Environment {
  return {
    // Looked up at each call, so that whoever instruments the global one later is heard.
    fetch: fetch ?? ((url, init) => globalThis.fetch(url, init)),
    clock: {
      read: () => ({ wall: Date.now(), monotonic: performance.now() }),
      setTimeout: (run, delayMs) => setTimeout(run, delayMs),
      clearTimeout: (timer) => clearTimeout(timer as Parameters<typeof clearTimeout>[0]),
    },
    random: Math.random,
    onWake: listenForWake,
  }
}

type Browser = {
  readonly document?: (EventTarget & { readonly visibilityState: string }) | undefined
  readonly addEventListener?: EventTarget['addEventListener'] | undefined
  readonly removeEventListener?: EventTarget['removeEventListener'] | undefined
}

/** `pageshow` comes when a page leaves the back-forward cache, where its timers stood still. Node has none of these. */
function listenForWake(listener: () => void): () => void {
  const browser = globalThis as Browser
  const { document } = browser
  if (!document) return () => {}
  const onVisible = () => {
    if (document.visibilityState === 'visible') listener()
  }
  document.addEventListener('visibilitychange', onVisible)
  for (const event of ['pageshow', 'online']) browser.addEventListener?.(event, listener)
  return () => {
    document.removeEventListener('visibilitychange', onVisible)
    for (const event of ['pageshow', 'online']) browser.removeEventListener?.(event, listener)
  }
}
