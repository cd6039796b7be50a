import { useEffect, useState } from 'preact/hooks'
import type { PortalInfo } from '../data/portal-info.ts'
import { formatHistoryLink, type HistoryChoice, parseHistoryLink } from './history-link.ts'

type State = { readonly choice: HistoryChoice; readonly fault?: string }

/** Returns the choice of chain and range. While the view is open, the URL of the page links to it. */
export function useHistoryChoice({ chains }: Pick<PortalInfo, 'chains'>, isOpen: boolean) {
  const follow = (present: HistoryChoice): State => {
    if (!location.hash.startsWith('#/history')) return { choice: present }
    return parseHistoryLink(location.hash, { present, chainIds: chains.map(({ id }) => id) })
  }
  const [state, setState] = useState(() => follow({ range: { days: 30 }, chainId: chains[0]?.id as number }))
  useEffect(() => {
    const onChange = () => setState((known) => follow(known.choice))
    addEventListener('hashchange', onChange)
    return () => removeEventListener('hashchange', onChange)
  }, [chains])
  useEffect(() => {
    // Replaced, so that "back" leaves the view.
    if (isOpen) history.replaceState(history.state, '', formatHistoryLink(state.choice))
  }, [isOpen, state])
  return { ...state, choose: (choice: HistoryChoice) => setState({ choice }) }
}
