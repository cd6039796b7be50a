import { useEffect, useState } from 'preact/hooks'

/** Returns the service's time in Unix seconds, updated at the start of each second. */
export function useNow(serverOffsetMs: number): number {
  const read = () => Math.floor((Date.now() + serverOffsetMs) / 1000)
  const [now, setNow] = useState(read)
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>
    const tick = () => {
      setNow(read())
      timer = setTimeout(tick, 1000 - ((Date.now() + serverOffsetMs) % 1000) + 5)
    }
    tick()
    return () => clearTimeout(timer)
  }, [serverOffsetMs])
  return now
}
