import type { PortalInfo } from '@tallystick/core'
import { Notice, newYorkDate, usePolled } from '@tallystick/ui'
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import type { PageState } from '../data/page-state.ts'
import type { Session } from '../data/session.ts'
import { ChainPicker } from '../parts/chain-picker.tsx'
import type { Place } from '../parts/place.ts'
import { navigate, useLocation } from '../parts/router.ts'
import { ViewHead } from '../parts/view-head.tsx'
import { type SentStore, useOnConfirmed } from '../sent/sent-store.ts'
import { CouponPanel } from './coupon-panel.tsx'
import { FloatingPanel } from './floating-panel.tsx'
import { formatDaysCsv, formatPeriodsCsv } from './format-csv.ts'
import {
  datesOf,
  describeRange,
  formatHistoryLink,
  type HistoryChoice,
  type PanelChoice,
  parseHistoryLink,
} from './history-link.ts'
import { HistoryPanel } from './history-panel.tsx'
import { RangePicker } from './range-picker.tsx'

// A new period triggers a request. The interval only retries a failed one.
const intervalMs = 10 * 60_000

type HistoryViewProps = Pick<PageState, 'info' | 'session' | 'notes'> & {
  readonly sent: SentStore
  readonly isOpen: boolean
}

/** Renders past coupons and floating rates. */
export function HistoryView({ info, session, notes, sent, isOpen }: HistoryViewProps) {
  const { choice, fault, choose } = useHistoryChoice(info)
  const today = newYorkDate((Date.now() + (notes.view?.serverOffsetMs ?? 0)) / 1000)
  // The service's date counts, which is known as soon as /notes has answered.
  const isReady = isOpen && (notes.view !== undefined || notes.failure !== undefined)
  return (
    <>
      <ViewHead view="history">Coupons of past periods and the floating rate of past days.</ViewHead>
      {fault ? (
        <Notice tone="warn" title="The link cannot be followed">
          {fault} Shown instead: {info.chains.find(({ id }) => id === choice.chainId)?.name},{' '}
          {describeRange(choice.range)}.
        </Notice>
      ) : null}
      {session ? (
        <>
          <div class="row history-controls apart below">
            <ChainPicker
              name="history-chain"
              chains={info.chains}
              chainId={choice.chainId}
              onChange={(chainId) => choose({ chainId, ...newest })}
            />
            <RangePicker range={choice.range} today={today} onChange={(range) => choose({ range, ...newest })} />
          </div>
          <Panels
            session={isReady ? session : undefined}
            period={notes.view?.validFrom}
            sent={sent}
            query={{ chainId: choice.chainId, ...datesOf(choice.range, today) }}
            panels={choice}
            onChange={choose}
          />
        </>
      ) : (
        <Notice tone="calm" title="API key required" text="History is read through the API. Enter your key above." />
      )}
    </>
  )
}

const cursorDelayMs = 300
// Other data has other periods and days.
const newest: PanelChoice = { period: undefined, day: undefined }

type ChoiceState = { readonly choice: HistoryChoice; readonly fault?: string }

/** Returns the choice of chain and range. While the view is open, the URL of the page links to it. */
function useHistoryChoice({ chains }: Pick<PortalInfo, 'chains'>) {
  const place = useLocation()
  const follow = (known: ChoiceState, { search }: Place): ChoiceState => {
    const chainIds = chains.map(({ id }) => id)
    const state = parseHistoryLink(search, { present: known.choice, chainIds })
    // The URL was replaced by a link to the known choice. A fault of the link before stays on the page.
    return formatHistoryLink(state.choice) === formatHistoryLink(known.choice) && !state.fault ? known : state
  }
  const isOpen = place.view === 'history'
  const [state, setState] = useState((): ChoiceState => {
    const initial: ChoiceState = { choice: { range: { days: 30 }, chainId: chains[0]?.id as number } }
    return isOpen ? follow(initial, place) : initial
  })
  const written = useRef<string>(undefined)
  useEffect(() => {
    // A URL that this hook wrote may be older than the choice.
    if (isOpen && `${location.pathname}${location.search}` !== written.current)
      setState((known) => follow(known, place))
  }, [place])
  useEffect(() => {
    if (!isOpen) return undefined
    const { range, chainId } = state.choice
    const isMoved = written.current?.startsWith(formatHistoryLink({ range, chainId }))
    const write = () => {
      written.current = formatHistoryLink(state.choice)
      // Replaced, so that "back" leaves the view.
      navigate(written.current, { replace: true })
    }
    // A cursor that is moved by keys would exceed the browser's limit of changes.
    const timer = setTimeout(write, isMoved ? cursorDelayMs : 0)
    return () => clearTimeout(timer)
  }, [isOpen, state])
  const choose = (change: Partial<HistoryChoice>) => setState(({ choice }) => ({ choice: { ...choice, ...change } }))
  return { ...state, choose }
}

type PanelsProps = Loading & {
  readonly panels: PanelChoice
  readonly onChange: (change: PanelChoice) => void
}

type Loading = {
  /** Undefined while nothing may be requested. */
  readonly session: Session | undefined
  /** Start of the current period. A new one is new history. */
  readonly period: bigint | undefined
  readonly sent: SentStore
  readonly query: HistoryQuery
}

function Panels({ panels, onChange, ...loading }: PanelsProps) {
  const periods = useHistory(({ client }, query) => client.historyNotes(query), loading)
  const days = useHistory(({ client }, query) => client.historyRate(query), loading)
  const { chainId, from, to } = loading.query
  const name = `${chainId}-${from}-to-${to}.csv`
  // A new query starts with a new cursor and a short table.
  return (
    <div key={name} class="stack">
      <HistoryPanel
        title="Coupons"
        {...periods}
        empty={{ title: 'No periods in this range', text: 'No notes were on offer on these days. Choose other dates.' }}
        file={{ name: `coupons-${name}`, toCsv: formatPeriodsCsv }}
      >
        {(rows) => <CouponPanel periods={rows} {...{ panels, onChange }} />}
      </HistoryPanel>
      <HistoryPanel
        title="Floating rate"
        {...days}
        empty={{
          title: 'No days in this range',
          text: 'The chain has no floating rate on these days. Choose other dates.',
        }}
        file={{ name: `floating-rate-${name}`, toCsv: formatDaysCsv }}
      >
        {(rows) => <FloatingPanel days={rows} {...{ panels, onChange }} />}
      </HistoryPanel>
    </div>
  )
}

/** Returns rows of history, newest first. */
function useHistory<Row>(
  list: (session: Session, query: HistoryQuery & { readonly signal: AbortSignal }) => AsyncIterable<Row>,
  { session, period, sent, query: { chainId, from, to } }: Loading,
) {
  const [attempt, setAttempt] = useState(0)
  const request = useCallback(
    async (signal: AbortSignal) => {
      const rows: Row[] = []
      for await (const row of list(session as Session, { chainId, from, to, signal })) rows.push(row)
      return rows
    },
    [session, period, chainId, from, to, attempt],
  )
  const loaded = usePolled(session && request, intervalMs)
  useOnConfirmed(sent, loaded.refresh)
  return { loaded, onRetry: () => setAttempt(attempt + 1) }
}

/** Days of a chain, both included. */
type HistoryQuery = { readonly chainId: number; readonly from: string; readonly to: string }
