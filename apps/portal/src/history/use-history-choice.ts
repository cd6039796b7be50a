import type { PortalInfo } from '@tallystick/core'
import { useEffect, useState } from 'preact/hooks'
import type { Place } from '../parts/place.ts'
import { navigate, useLocation } from '../parts/router.ts'
import { formatHistoryLink, type HistoryChoice, parseHistoryLink } from './history-link.ts'

type State = { readonly choice: HistoryChoice; readonly fault?: string }

/** Returns the choice of chain and range. While the view is open, the URL of the page links to it. */
export function useHistoryChoice({ chains }: Pick<PortalInfo, 'chains'>) {
  const place = useLocation()
  const follow = (known: State, { search }: Place): State => {
    const chainIds = chains.map(({ id }) => id)
    const state = parseHistoryLink(search, { present: known.choice, chainIds })
    // The URL was replaced by a link to the known choice. A fault of the link before stays on the page.
    return formatHistoryLink(state.choice) === formatHistoryLink(known.choice) && !state.fault ? known : state
  }
  const isOpen = place.view === 'history'
  const [state, setState] = useState((): State => {
    const initial: State = { choice: { range: { days: 30 }, chainId: chains[0]?.id as number } }
    return isOpen ? follow(initial, place) : initial
  })
  useEffect(() => {
    if (isOpen) setState((known) => follow(known, place))
  }, [place])
  useEffect(() => {
    // Replaced, so that "back" leaves the view.
    if (isOpen) navigate(formatHistoryLink(state.choice), { replace: true })
  }, [isOpen, state])
  return { ...state, choose: (choice: HistoryChoice) => setState({ choice }) }
}
