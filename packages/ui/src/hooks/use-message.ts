import { useEffect, useState } from 'preact/hooks'

/** Returns a message for screen readers and eyes, and a function that shows another one for a few seconds. */
export function useMessage(shownMs = 4_000): readonly [string, (message: string) => void] {
  const [message, setMessage] = useState('')
  useEffect(() => {
    if (message === '') return undefined
    const timer = setTimeout(() => setMessage(''), shownMs)
    return () => clearTimeout(timer)
  }, [message])
  return [message, setMessage]
}
