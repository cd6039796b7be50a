import { formatExact, parseDollars } from '@tallystick/ui'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { View } from './place.ts'
import { navigate, useLocation } from './router.ts'

// Long enough that typing writes a URL once: browsers limit how often it may change.
const delayMs = 300

type LinkedAmount = {
  readonly view: View
  /** Amount that the URL names, or the one without which it names none. */
  readonly linked: bigint
  /** Returns the URL of another amount. */
  readonly hrefOf: (amount: bigint) => string
}

/** Returns the text of an amount and how to change it. The URL of the view follows what is typed, and the text the URL. */
export function useLinkedAmount({ view, linked, hrefOf }: LinkedAmount): [string, (text: string) => void] {
  const isOpen = useLocation().view === view
  const [text, setText] = useState(() => formatExact(linked))
  const written = useRef(linked)
  const latestHrefOf = useRef(hrefOf)
  latestHrefOf.current = hrefOf
  const { amount } = parseDollars(text)
  useEffect(() => {
    // A URL that this hook wrote may be older than the text.
    if (linked !== written.current) setText(formatExact(linked))
    written.current = linked
  }, [linked])
  useEffect(() => {
    if (!isOpen || amount === undefined || amount === linked) return undefined
    const timer = setTimeout(() => {
      written.current = amount
      navigate(latestHrefOf.current(amount), { replace: true })
    }, delayMs)
    return () => clearTimeout(timer)
  }, [isOpen, amount, linked])
  return [text, setText]
}
