import { useEffect, useState } from 'preact/hooks'

const shownMs = 4_000

/** Returns a message for screen readers and eyes, and a function that shows another one for a few seconds. */
export function useMessage(): readonly [string, (message: string) => void] {
  const [message, setMessage] = useState('')
  useEffect(() => {
    if (message === '') return undefined
    const timer = setTimeout(() => setMessage(''), shownMs)
    return () => clearTimeout(timer)
  }, [message])
  return [message, setMessage]
}
