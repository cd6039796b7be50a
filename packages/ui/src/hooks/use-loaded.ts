import { useEffect, useState } from 'preact/hooks'

type Loaded<Value> = { readonly value?: Value; readonly error?: unknown }

/** Loads a value when it is needed first. A failed load is repeated if it is needed again. */
export function useLoaded<Value>(isNeeded: boolean, load: () => Promise<Value>): Loaded<Value> {
  const [state, setState] = useState<Loaded<Value>>({})
  useEffect(() => {
    if (!isNeeded || state.value !== undefined) return
    load().then(
      (value) => setState({ value }),
      (error: unknown) => setState({ error }),
    )
  }, [isNeeded, state.value])
  return state
}
