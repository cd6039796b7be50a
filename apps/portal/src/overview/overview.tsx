import { formatPeriod, Ghost, type Polled, usePolled, useZone, zoneName } from '@tallystick/ui'
import { useCallback } from 'preact/hooks'
import { fetchLastPeriod, type LastCoupons } from '../data/last-period.ts'
import { chooseTenor, listOffers, type Offer } from '../data/offers.ts'
import type { PageState } from '../data/page-state.ts'
import type { Session } from '../data/session.ts'
import { type NotesOnPage, type NotesView, useHasExpired } from '../data/use-notes.ts'
import { hrefOfOverview, type LendChoice, listFaults, readChoice } from '../lend/lend-choice.ts'
import { ChainPicker } from '../parts/chain-picker.tsx'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { LinkNotice } from '../parts/link-notice.tsx'
import { hrefOf } from '../parts/place.ts'
import { navigate, useSearchOf } from '../parts/router.ts'
import { Calculator } from './calculator.tsx'
import { ChainStatus } from './chain-status.tsx'
import { Countdown } from './countdown.tsx'
import { CurveChart } from './curve-chart.tsx'
import { NotesTable } from './notes-table.tsx'
import { Rates } from './rates.tsx'

// A new period triggers a request. The interval only retries a failed one.
const lastPeriodIntervalMs = 10 * 60_000

/** Renders the notes on offer. */
export function Overview({ info, session, notes, rate }: PageState) {
  const zone = useZone()
  const choice = readChoice(useSearchOf('overview'), info.chains)
  const chainId = choice.chain.id
  const view = session && notes.view
  return (
    <>
      <div class="spread hero wrap">
        <div>
          <h1 id="overview-heading" tabIndex={-1}>
            Notes on offer
          </h1>
          <p class="hero-period soft">
            {view ? (
              periodText(view, zone)
            ) : session ? (
              <Ghost text="13 Nov 2026, 00:00 to 18:00 New York" />
            ) : (
              'Treasury notes, renewed at 00:00 and 18:00 New York time.'
            )}
          </p>
          {session ? (
            <ChainPicker
              name="chain"
              chains={info.chains}
              chainId={chainId}
              onChange={(id) => navigate(hrefOfOverview({ ...choice, chainId: id }), { replace: true })}
            />
          ) : null}
        </div>
        {session ? <Countdown view={view} /> : null}
      </div>
      {session ? <Board {...{ session, choice, view, rate, failure: notes.failure }} /> : <Welcome />}
    </>
  )
}

type BoardProps = Pick<PageState, 'rate'> & NotesOnPage & { readonly session: Session; readonly choice: LendChoice }

function Board({ session, choice, view, rate, failure }: BoardProps) {
  const { chain, tenorDays, faults } = choice
  const chainId = chain.id
  const lastPeriod = useLastPeriod(session, { chainId, period: view?.validFrom })
  const last = lastPeriod.value ?? undefined
  const hasExpired = useHasExpired(view)
  // Any other failure says nothing about what is on offer.
  const notes = view?.notes ?? (failure?.error.code === 'notes_unavailable' ? [] : undefined)
  const floatingRate = rate.value?.chains.find((one) => one.chainId === chainId)?.floatingRate ?? undefined
  const offers = notes && listOffers(notes, { chainId, last, floatingRate })
  const chosen = offers && chooseTenor(offers, tenorDays)
  const onChoose = (offer: Offer) =>
    navigate(hrefOfOverview({ ...choice, chainId, tenorDays: offer.tenorDays }), { replace: true })
  const isRateLoading = rate.value === undefined && rate.error === undefined
  return (
    <>
      {failure ? (
        <ErrorNotice
          error={failure.error}
          hint={failure.retryAt === undefined ? undefined : 'The page retries automatically.'}
        />
      ) : null}
      <LinkNotice faults={listFaults(faults, { tenorDays, chain, offered: offers ?? [], chosen })} />
      {failure && hasExpired ? (
        <p class="hint expired-hint">The notes below have expired. The pool no longer accepts them.</p>
      ) : null}
      <Rates rate={rate} chainId={chainId} />
      <div class={hasExpired ? 'board grid is-expired' : 'board grid'}>
        <div class="card board-curve">
          <CurveChart {...{ offers, last, chosen, onChoose }} />
          <NotesTable {...{ offers, lastPeriod, isRateLoading, chosen, onChoose }} />
        </div>
        <div class="board-side stack">
          <Calculator
            {...{ choice, offers, chosen, floatingRate, isRateLoading, onChoose }}
            serverOffsetMs={view?.serverOffsetMs ?? 0}
          />
          <ChainStatus chain={chain} rate={rate} />
        </div>
      </div>
    </>
  )
}

/** Returns the coupons of the last period, or null if there was none. */
function useLastPeriod(
  { client }: Session,
  { chainId, period }: { readonly chainId: number; readonly period: bigint | undefined },
): Polled<LastCoupons | null> {
  const request = useCallback(
    async (signal: AbortSignal) =>
      (await fetchLastPeriod(client, { chainId, before: period as bigint, signal })) ?? null,
    [client, chainId, period],
  )
  return usePolled(period !== undefined ? request : undefined, lastPeriodIntervalMs)
}

function periodText({ validFrom, validUntil }: NotesView, zone: string): string {
  return `${formatPeriod({ periodStart: validFrom, periodEnd: validUntil }, zone)} ${zoneName(zone)}`
}

const features = [
  {
    title: 'Yield curve',
    text: 'Coupons by maturity, their history and last change, and the time until they expire.',
  },
  {
    title: 'Rates and status',
    text: 'Fixed, floating and market rate, the sync status of the protocol and the reason for it.',
  },
  {
    title: 'Wallets and queries',
    text: 'Positions, earnings and maturities of any address, and a query editor with schema completion.',
  },
] as const

/** Renders an introduction for visitors without a key. */
function Welcome() {
  return (
    <div class="card welcome">
      <h2>With a key, this page shows</h2>
      <ul class="grid">
        {features.map(({ title, text }) => (
          <li key={title}>
            <strong>{title}</strong>
            <p class="soft">{text}</p>
          </li>
        ))}
      </ul>
      <p class="hint">
        No key? Request one from the operator of this service. <a href={hrefOf('verify')}>Verifying a note</a> needs no
        key.
      </p>
    </div>
  )
}
