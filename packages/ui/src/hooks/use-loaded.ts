import { useEffect, useState } from 'preact/hooks'
import { onWake } from './wake.ts'

type Loaded<Value> = { readonly value?: Value; readonly error?: unknown }

/**
 * Loads a value when it is needed first. A failed load is repeated if the value is needed again, and after `wake`, which
 * also replaces a load that hangs.
 */
export function useLoaded<Value>(isNeeded: boolean, load: (signal: AbortSignal) => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<Loaded<Value>>({})
  const [turn, setTurn] = useState(0)
  const isMissing = isNeeded && state.value === undefined
  useEffect(() => (isMissing ? onWake(() => setTurn((count) => count + 1)) : undefined), [isMissing])
  useEffect(() => {
    if (!isMissing) return undefined
    const controller = new AbortController()
    const settle = (loaded: Loaded<Value>) => {
      if (!controller.signal.aborted) setState(loaded)
    }
    load(controller.signal).then(
      (value) => settle({ value }),
      (error: unknown) => settle({ error }),
    )
    return () => controller.abort()
  }, [isMissing, turn])
  return state
}
