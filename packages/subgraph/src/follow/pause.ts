import type { Time } from '@tallystick/base'

/** Timers of this machine. They keep a command running that waits for nothing else. */
const ownTime: Pick<Time, 'setTimer'> = {
  setTimer: ({ ms }, callback) => {
    const timer = setTimeout(callback, ms)
    return { stop: () => clearTimeout(timer) }
  },
}

/** Resolves after `ms`, or as soon as one of the signals is aborted. */
export function pause(
  ms: number,
  signals: readonly AbortSignal[],
  time: Pick<Time, 'setTimer'> = ownTime,
): Promise<void> {
  return new Promise((resolve) => {
    const finish = () => {
      timer.stop()
      for (const signal of signals) signal.removeEventListener('abort', finish)
      resolve()
    }
    const timer = time.setTimer({ name: 'chain follower', ms }, finish)
    for (const signal of signals) signal.addEventListener('abort', finish)
    if (signals.some(({ aborted }) => aborted)) finish()
  })
}
