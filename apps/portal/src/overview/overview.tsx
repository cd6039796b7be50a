import type { RateAnswer } from '@tallystick/client'
import { useCallback, useState } from 'preact/hooks'
import { fetchLastPeriod } from '../data/last-period.ts'
import { listOffers, type Offer } from '../data/offers.ts'
import type { PortalChain, PortalInfo } from '../data/portal-info.ts'
import type { Session } from '../data/session.ts'
import type { NotesOnPage, NotesView } from '../data/use-notes.ts'
import { type Polled, usePolled } from '../data/use-polled.ts'
import { formatClock, formatDate, newYorkZone } from '../format/format-time.ts'
import { ErrorNotice } from '../parts/notice.tsx'
import { Calculator } from './calculator.tsx'
import { ChainPicker } from './chain-picker.tsx'
import { ChainStatus } from './chain-status.tsx'
import { Countdown } from './countdown.tsx'
import { CurveChart } from './curve-chart.tsx'
import { NotesTable } from './notes-table.tsx'
import { Rates } from './rates.tsx'

// Rates change once a day, but the chain's state and the age of its data are worth a look now and then.
const rateIntervalMs = 20_000
// Asked once a period; this only tries again what failed.
const lastPeriodIntervalMs = 10 * 60_000

/** What is on offer now. */
export function Overview({
  info,
  session,
  notes,
}: {
  readonly info: PortalInfo
  readonly session: Session | undefined
  readonly notes: NotesOnPage
}) {
  const { view, failure } = notes
  const [chainId, setChainId] = useState(info.chains[0]?.id as number)
  const [tenorDays, setTenorDays] = useState<number | undefined>(undefined)
  const rate = useRate(session, view?.validFrom)
  const last = useLastPeriod(session, view?.validFrom)?.get(chainId)
  const offers = view && session ? listOffers(view.notes, { chainId, last, rate: rate.value }) : undefined
  const chosen = offers?.find((offer) => offer.tenorDays === tenorDays) ?? offers?.[defaultIndex(offers)]
  const isHeldBack = failure !== undefined && failure.error.code !== 'invalid_api_key'
  return (
    <>
      <div class="hero">
        <div>
          <h1 id="overview-heading" tabIndex={-1}>
            Notes on offer
          </h1>
          <p class="hero-period">{session && view ? periodText(view) : 'Treasury notes, signed twice a day.'}</p>
          <ChainPicker chains={info.chains} chainId={chainId} onChange={setChainId} />
        </div>
        <Countdown view={session && view} />
      </div>
      {isHeldBack ? <ErrorNotice error={failure.error} /> : null}
      <Rates rate={rate} chainId={chainId} hasKey={session !== undefined} />
      <div class="board">
        <div class="card board-curve">
          <CurveChart offers={offers} last={last} chosen={chosen} onChoose={(offer) => setTenorDays(offer.tenorDays)} />
          <NotesTable offers={offers} last={last} chosen={chosen} />
        </div>
        <Aside
          {...{ offers, chosen, rate, chain: info.chains.find(({ id }) => id === chainId), view: session && view }}
          onChoose={(offer) => setTenorDays(offer.tenorDays)}
        />
      </div>
    </>
  )
}

function Aside({
  offers,
  chosen,
  rate,
  chain,
  view,
  onChoose,
}: {
  readonly offers: readonly Offer[] | undefined
  readonly chosen: Offer | undefined
  readonly rate: Polled<RateAnswer>
  readonly chain: PortalChain | undefined
  readonly view: NotesView | undefined
  readonly onChoose: (offer: Offer) => void
}) {
  const chainRate = rate.value?.chains.find(({ chainId }) => chainId === chain?.id)
  return (
    <div class="board-side">
      <Calculator
        offers={offers}
        chosen={chosen}
        floatingRate={chainRate?.floatingRate ?? undefined}
        serverOffsetMs={view?.serverOffsetMs ?? 0}
        onChoose={onChoose}
      />
      {chain ? <ChainStatus chain={chain} rate={rate} /> : null}
    </div>
  )
}

function useRate(session: Session | undefined, period: bigint | undefined): Polled<RateAnswer> {
  // `period` is not used but waited for: a new one has new rates, so it asks anew.
  const ask = useCallback((signal: AbortSignal) => (session as Session).client.rate({ signal }), [session, period])
  return usePolled(session && ask, rateIntervalMs)
}

function useLastPeriod(session: Session | undefined, period: bigint | undefined) {
  // `period` is not used but waited for: what came before is another one in each.
  const ask = useCallback(
    (signal: AbortSignal) => fetchLastPeriod((session as Session).apiKey, signal),
    [session, period],
  )
  return usePolled(session && period !== undefined ? ask : undefined, lastPeriodIntervalMs).value
}

/** Thirty days, or what is nearest to the middle. */
function defaultIndex(offers: readonly Offer[]): number {
  const thirty = offers.findIndex(({ tenorDays }) => tenorDays === 30)
  return thirty === -1 ? Math.floor(offers.length / 2) : thirty
}

function periodText({ validFrom, validUntil }: NotesView): string {
  const from = formatClock(validFrom, { zone: newYorkZone })
  const until = formatClock(validUntil, { zone: newYorkZone }).replace('00:00', '24:00')
  return `${formatDate(validFrom, newYorkZone)}, ${from} to ${until} New York`
}
