import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** Returns a ref and the current width of its element in pixels. The width is 0 until it is measured. */
export function useWidth(): [RefObject<HTMLDivElement | null>, number] {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const element = box.current
    if (!element) return undefined
    const observer = new ResizeObserver(() => setWidth(element.clientWidth))
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [box, width]
}
