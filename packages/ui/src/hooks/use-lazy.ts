import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

type State<Props> = { readonly Component?: ComponentType<Props>; readonly hasFailed?: boolean }

/** Loads a component when it is needed first. A failed load is repeated if it is needed again. */
export function useLazy<Props>(isNeeded: boolean, load: () => Promise<ComponentType<Props>>): State<Props> {
  const [state, setState] = useState<State<Props>>({})
  useEffect(() => {
    if (!isNeeded || state.Component) return
    load().then(
      (Component) => setState({ Component }),
      () => setState({ hasFailed: true }),
    )
  }, [isNeeded, state.Component])
  return state
}
