import { type PortalInfo, positionQuery } from '@tallystick/core'
import { parse } from 'graphql'
import { useEffect, useMemo, useRef, useState } from 'preact/hooks'
import type { Session } from '../data/session.ts'
import { navigate, useLocation } from '../parts/router.ts'
import type { Draft } from './draft.ts'
import { formatExplorerLink, parseExplorerLink } from './explorer-link.ts'

const noWallet = '0x0000000000000000000000000000000000000000'
// Browsers limit how often a page may change its URL.
const linkDelayMs = 300

/** Returns what the visitor has entered. While the view is open, the URL of the page links to it. */
export function useExplorerDraft(info: PortalInfo, { chainIds }: Session) {
  const place = useLocation()
  const examples = useMemo(() => listExamples(info.visitor?.wallets[0] ?? noWallet), [info])
  const [draft, setDraft] = useState<Draft>(() => {
    const { query, variables } = examples[0] as (typeof examples)[number]
    return { query, variables, chains: chainIds }
  })
  const [fault, setFault] = useState<string>()
  const link = formatExplorerLink(draft)
  const written = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (place.view !== 'explorer') return
    const linked = parseExplorerLink(place.search, chainIds)
    if (linked.fault !== undefined) setFault(linked.fault)
    // Not the URL that this hook wrote: the visitor may have entered more since.
    if (linked.draft && formatExplorerLink(linked.draft) !== written.current) setDraft(linked.draft)
  }, [place])
  useEffect(() => {
    if (place.view !== 'explorer') return undefined
    // Replaced, so that "back" leaves the view.
    const timer = setTimeout(() => {
      written.current = link
      navigate(link ?? '/explorer', { replace: true })
    }, linkDelayMs)
    return () => clearTimeout(timer)
  }, [place, link])
  const operations = useMemo(() => listOperations(draft.query), [draft.query])
  const change = (part: Partial<Draft>) => {
    setFault(undefined)
    setDraft((known) => ({ ...known, ...part }))
  }
  return {
    draft: { ...draft, operationName: chooseOperation(operations, draft.operationName) },
    change,
    /** What is wrong with the link that was opened. */
    fault,
    /** Undefined if the draft is too long for a link or has a key in it. */
    link,
    operations,
    chainIds,
    examples,
  }
}

/** Returns the example queries. The first is the one in the API specification. */
function listExamples(wallet: string) {
  const examples = [
    {
      name: 'Positions of a wallet (specification)',
      query: positionQuery,
      variables: { walletAddress: wallet },
    },
    {
      name: 'Earnings of an account',
      query: `query Earnings($account: ID!) {
  account(id: $account) {
    activePositions
    activePrincipal
    totalPrincipal
    totalIncome
    totalFees
  }
}`,
      variables: { account: wallet },
    },
    {
      name: 'Floating income of the last 7 days',
      query: `{
  floatingIncomes(first: 7, orderBy: day, orderDirection: desc) {
    day
    floatingIncome
    accFloatingIncome
    updatedAt
  }
}`,
      variables: {},
    },
    {
      name: 'Pool and daily totals',
      query: `{
  pools {
    paused
    signer
    activePositions
    activePrincipal
    lastFloatingIncomeDay
  }
  protocolDays(first: 7, orderBy: day, orderDirection: desc) {
    day
    lent
    claimed
    income
    positionsOpened
  }
}`,
      variables: {},
    },
  ]
  return examples.map((each) => ({ ...each, variables: JSON.stringify(each.variables, undefined, 2) }))
}

/** Returns the operation to name in a request. One operation needs no name. */
function chooseOperation(operations: readonly string[], chosen: string | undefined): string | undefined {
  if (operations.length < 2) return undefined
  return operations.find((name) => name === chosen) ?? operations[0]
}

/** Returns the names of the operations of a query, or none if it is not complete. */
export function listOperations(query: string): readonly string[] {
  try {
    const { definitions } = parse(query)
    return definitions.flatMap((each) => (each.kind === 'OperationDefinition' && each.name ? each.name.value : []))
  } catch {
    return []
  }
}
