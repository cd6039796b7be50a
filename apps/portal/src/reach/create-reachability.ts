/** Whether the service answers this page. */
export type Reachability = {
  readonly isLost: boolean
  /** When the service answered last, by this browser's clock. Undefined before the first answer. */
  readonly answeredAtMs: number | undefined
  /** How often the service was back after a loss. */
  readonly recoveries: number
}

/** Platform of a page. Tests inject their own. */
export type ReachabilityOptions = {
  /** Asks the service for a light answer. Resolves to whether it was the service that answered. */
  readonly ask: (signal: AbortSignal) => Promise<boolean>
  readonly now: () => number
  readonly random: () => number
  readonly setTimer: (run: () => void, delayMs: number) => () => void
  readonly isVisible: () => boolean
  /** Called when the state has changed. */
  readonly onChange: () => void
}

// A loss is found within `quietMs` + `patienceMs`, which is less than 10 s.
const quietMs = 5_000
const patienceMs = 4_000
// A late answer still counts. After this it makes room for another connection.
const givesUpMs = 6_000
// A recovery is found within 3 s for the first five minutes of a loss. Then the pages of many visitors slow down.
const retryMs = 3_000
const eagerMs = 300_000
const slowRetryMs = 15_000
// Failed requests of the page cause one probe per second at most.
const spacingMs = 1_000

/**
 * Creates the knowledge whether the service answers. A probe decides. It is sent when nothing was heard for a while, when a
 * request of the page failed, and when the page is shown or the network is back. A hidden page sends none.
 */
export function createReachability({ ask, now, random, setTimer, isVisible, onChange }: ReachabilityOptions) {
  let state: Reachability = { isLost: false, answeredAtMs: undefined, recoveries: 0 }
  // Nothing was to be heard before.
  let heardAtMs = now()
  let probedAtMs = Number.NEGATIVE_INFINITY
  let lostAtMs = 0
  let last: Promise<boolean> | undefined
  let stopTimer = () => {}

  const set = (change: Partial<Reachability>) => {
    state = { ...state, ...change }
    onChange()
  }
  const answered = () => {
    heardAtMs = now()
    set({ isLost: false, answeredAtMs: heardAtMs, recoveries: state.recoveries + (state.isLost ? 1 : 0) })
    schedule()
  }
  const schedule = () => {
    stopTimer()
    if (!isVisible()) return
    const quietUntilMs = Math.max(heardAtMs, probedAtMs) + quietMs
    stopTimer = setTimer(probe, state.isLost ? retryDelayMs(now() - lostAtMs, random) : quietUntilMs - now())
  }
  const probe = (): Promise<boolean> => {
    const sentAtMs = now()
    const lose = () => {
      // Another request may have been answered meanwhile.
      if (state.isLost || heardAtMs > sentAtMs) return
      lostAtMs = now()
      set({ isLost: true })
      schedule()
    }
    const stopWaiting = setTimer(lose, patienceMs)
    probedAtMs = sentAtMs
    last = askWithin(ask, setTimer).then((isAnswer) => {
      stopWaiting()
      if (isAnswer) answered()
      else lose()
      return isAnswer
    })
    schedule()
    return last
  }
  const check = (): Promise<boolean> => (last && now() - probedAtMs < spacingMs ? last : probe())
  const doubt = () => {
    if (isVisible()) void check()
  }
  return {
    get: () => state,
    /** Begins to expect an answer. */
    start: schedule,
    /** Asks at once if the page is visible. A hidden page stops asking. */
    look: () => {
      stopTimer()
      if (isVisible()) void probe()
    },
    /** Sends a probe, unless one was sent just now. Resolves to whether the service answers. */
    check,
    /** Counts the response to another request. While the service is lost, a probe has to confirm it. */
    heard: () => {
      if (state.isLost) doubt()
      else answered()
    },
    /** Counts a request that failed. */
    doubt,
  }
}

function askWithin(ask: ReachabilityOptions['ask'], setTimer: ReachabilityOptions['setTimer']): Promise<boolean> {
  const controller = new AbortController()
  const giveUp = setTimer(() => controller.abort(), givesUpMs)
  return ask(controller.signal)
    .catch(() => false)
    .finally(giveUp)
}

/** Returns the delay of the next probe of a loss: half of the longest to all of it, so that pages do not ask together. */
function retryDelayMs(lostForMs: number, random: () => number): number {
  const longestMs = lostForMs < eagerMs ? retryMs : slowRetryMs
  return (longestMs * (1 + random())) / 2
}
