/** Reading of both clocks of the machine, in milliseconds. */
export type Reading = {
  /** Unix time of the machine. It may be wrong and may be set. */
  readonly wall: number
  /** Monotonic time. On some systems it stops while the machine sleeps. */
  readonly monotonic: number
}

export type Clock = {
  read(): Reading
  setTimeout(run: () => void, delayMs: number): unknown
  clearTimeout(timer: unknown): void
}

/** The part of `fetch` that the client uses. */
export type FetchFunction = (url: string, init: RequestInit) => Promise<Response>

/** Platform services the client uses. Tests inject their own. */
export type Environment = {
  readonly fetch: FetchFunction
  readonly clock: Clock
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number
  /**
   * Calls `listener` when the tab becomes visible, the page is shown or the network is back. Returns an unsubscribe
   * function.
   */
  readonly onWake: (listener: () => void) => () => void
}

/** Creates the environment of a browser or Node. */
export function createEnvironment(fetch: FetchFunction | undefined): Environment {
  return {
    // Looked up on every call, so that a later replacement of the global is used.
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

/** Listens for wake events. `pageshow` fires when a page leaves the back-forward cache. Node has none of these events. */
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
