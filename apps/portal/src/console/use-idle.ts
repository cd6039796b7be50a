import { useEffect, useRef } from 'preact/hooks'

const idleMs = 30 * 60_000
const checkMs = 10_000

/** Calls `onIdle` after 30 minutes without input. A computer that slept counts the time that it slept. */
export function useIdle(isActive: boolean, onIdle: () => void): void {
  const callback = useRef(onIdle)
  callback.current = onIdle
  useEffect(() => {
    if (!isActive) return undefined
    let lastInputMs = Date.now()
    const note = () => {
      lastInputMs = Date.now()
    }
    const check = () => {
      if (Date.now() - lastInputMs >= idleMs) callback.current()
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
