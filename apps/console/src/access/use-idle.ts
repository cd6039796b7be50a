import { useEffect, useRef } from 'preact/hooks'

const idleMs = 30 * 60_000
const checkMs = 10_000

/** Calls `onIdle` after 30 minutes without input. A computer that slept counts the time that it slept. */
export function useIdle(isActive: boolean, onIdle: () => void): void {
  const callback = useRef(onIdle)
  callback.current = onIdle
  useEffect(() => {
    if (!isActive) return undefined
    let lastInput = readClocks()
    const note = () => {
      lastInput = readClocks()
    }
    const check = () => {
      if (elapsedMs(lastInput, readClocks()) >= idleMs) callback.current()
    }
    const inputs = ['pointerdown', 'keydown'] as const
    for (const input of inputs) addEventListener(input, note)
    document.addEventListener('visibilitychange', check)
    const timer = setInterval(check, checkMs)
    return () => {
      for (const input of inputs) removeEventListener(input, note)
      document.removeEventListener('visibilitychange', check)
      clearInterval(timer)
    }
  }, [isActive])
}

type Clocks = { readonly wall: number; readonly monotonic: number }

const readClocks = (): Clocks => ({ wall: Date.now(), monotonic: performance.now() })

/** Returns the longer of two times: the system clock may be set back, and the monotonic clock may stop during sleep. */
export function elapsedMs(from: Clocks, to: Clocks): number {
  return Math.max(to.wall - from.wall, to.monotonic - from.monotonic)
}
