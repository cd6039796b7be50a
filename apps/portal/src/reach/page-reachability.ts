import { createListeners, useSubscribed, wake } from '@tallystick/ui'
import { createReachability } from './create-reachability.ts'

const { subscribe, notify } = createListeners()
let recoveries = 0
let isWatching = false

const reachability = createReachability({
  ask: askService,
  now: () => Date.now(),
  random: Math.random,
  setTimer: (run, delayMs) => {
    const timer = setTimeout(run, delayMs)
    return () => clearTimeout(timer)
  },
  isVisible: () => document.visibilityState !== 'hidden',
  onChange: () => {
    notify()
    if (reachability.get().recoveries === recoveries) return
    recoveries = reachability.get().recoveries
    wake()
  },
})

/** Starts to watch whether the service answers. Called once, before the page is rendered. */
export function watchService(): void {
  for (const event of ['online', 'offline']) addEventListener(event, reachability.look)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) reachability.look()
  })
  document.addEventListener('visibilitychange', reachability.look)
  isWatching = true
  reachability.start()
}

/** Returns whether the service does not answer. */
export function useIsLost(): boolean {
  return useSubscribed(() => reachability.get().isLost, subscribe)
}

/** Returns how often the service was back after a loss, for what must start again then. */
export function useRecoveries(): number {
  return useSubscribed(() => reachability.get().recoveries, subscribe)
}

/** Returns when the service answered last, by this browser's clock. */
export function useAnsweredAt(): number | undefined {
  return useSubscribed(() => reachability.get().answeredAtMs, subscribe)
}

/**
 * Sends a request to the service as `fetch` does, and learns from the outcome whether the service answers. A proxy or a
 * captive portal answers with a page or with a status of its own.
 */
export async function fetchService(url: string, init?: RequestInit): Promise<Response> {
  if (!isWatching) return fetch(url, init)
  try {
    const response = await fetch(url, init)
    if (isFromService(response)) reachability.heard()
    else reachability.doubt()
    return response
  } catch (error) {
    if (!init?.signal?.aborted) reachability.doubt()
    throw error
  }
}

/**
 * Loads something from the service. A load that fails although the service answers is repeated once: the network may have
 * been gone for a moment only. After a loss `useLoaded` repeats it.
 */
export async function loadFromService<Value>(
  load: (signal: AbortSignal) => Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  try {
    return await load(signal)
  } catch (error) {
    if (signal.aborted || !(await reachability.check())) throw error
    return load(signal)
  }
}

function isFromService({ headers, status }: Response): boolean {
  return !/^text\/html/.test(headers.get('content-type') ?? '') && ![502, 503, 504].includes(status)
}

/** Asks for what every page loads first: its text is in the service's memory, and nothing else has this form. */
async function askService(signal: AbortSignal): Promise<boolean> {
  const response = await fetch('/portal.json', { cache: 'no-store', signal })
  // The limit of requests is the service's own.
  if (response.status === 429) return true
  const body = (await response.json()) as { readonly chains?: unknown } | null
  return response.ok && Array.isArray(body?.chains)
}
