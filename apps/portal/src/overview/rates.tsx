import type { ChainRate, RateAnswer } from '@tallystick/client'
import { formatDate, formatDatesIn, formatRate, Ghost, Instant, Pill, type Polled, Skeleton } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { explainError } from '../data/explain-error.ts'

type RatesProps = {
  readonly rate: Polled<RateAnswer>
  readonly chainId: number
}

/** Renders the fixed, floating and market rates, and the protocol's sync status. */
export function Rates({ rate: { value, error }, chainId }: RatesProps) {
  const chain = value?.chains.find((candidate) => candidate.chainId === chainId)
  const isLoading = !chain && error === undefined
  const market = highest(chain?.marketRates.map(({ rate }) => rate))
  return (
    <div class="card rates grid below">
      <Rate
        name="Fixed"
        help="Highest coupon on offer"
        value={highest(chain?.fixedRates.map(({ coupon }) => coupon))}
        isLoading={isLoading}
      />
      <Rate
        name="Floating"
        help={isLoading ? <Ghost text="Income of 12 Nov 2026 (UTC), annualised" /> : floatingHelp(chain)}
        value={chain?.floatingRate ?? undefined}
        isLoading={isLoading}
      />
      <Rate name="Market" help="Fixed plus floating" value={market} isLoading={isLoading} />
      <div class="rate rate-sync">
        <h2 class="hint">Protocol</h2>
        <SyncState {...{ chain, error, isLoading }} />
      </div>
    </div>
  )
}

type RateProps = {
  readonly name: string
  readonly help: ComponentChildren
  readonly value: bigint | undefined
  readonly isLoading: boolean
}

function Rate({ name, help, value, isLoading }: RateProps) {
  return (
    <div class="rate">
      <h2 class="hint">{name}</h2>
      <p class="rate-value">{isLoading ? <Skeleton width="4ch" /> : value === undefined ? '–' : formatRate(value)}</p>
      <p class="rate-help hint">{help}</p>
    </div>
  )
}

type SyncStateProps = {
  readonly chain: ChainRate | undefined
  readonly error: unknown
  readonly isLoading: boolean
}

function SyncState({ chain, error, isLoading }: SyncStateProps) {
  if (!chain) {
    if (isLoading) {
      return (
        <>
          <p>
            <span class="pill">
              <Ghost text="Synced" />
            </span>
          </p>
          <p class="rate-help hint">
            <Ghost text="The floating income of 12 Nov 2026 (UTC) has been set." />
          </p>
          <p class="rate-help hint">
            <Ghost text="Next expected after" />{' '}
            <span class="nowrap">
              <Ghost text="13 Nov 2026, 19:00 New York." />
            </span>
          </p>
        </>
      )
    }
    const { title, text } = explainError(error)
    return (
      <>
        <Pill tone="bad">Unknown</Pill>
        <p class="rate-help hint">{`${title}. ${text}`}</p>
      </>
    )
  }
  const { isProtocolSynced, syncReason, nextSyncExpectedAt } = chain
  return (
    <>
      <p>
        <Pill tone={isProtocolSynced ? 'good' : 'warn'}>{isProtocolSynced ? 'Synced' : 'Not synced'}</Pill>
      </p>
      <p class="rate-help hint">{formatDatesIn(syncReason)}</p>
      {nextSyncExpectedAt === null ? null : (
        <p class="rate-help hint">
          Next expected after{' '}
          <span class="nowrap">
            <Instant seconds={nextSyncExpectedAt} />
          </span>
          .
        </p>
      )}
    </>
  )
}

function floatingHelp(chain: ChainRate | undefined): string {
  if (!chain || chain.floatingDay === null) return 'Income of the last day, annualised'
  return `Income of ${formatDate(BigInt(chain.floatingDay) * 86_400n, 'UTC')} (UTC), annualised`
}

function highest(rates: readonly bigint[] | undefined): bigint | undefined {
  return rates?.reduce<bigint | undefined>((top, rate) => (top === undefined || rate > top ? rate : top), undefined)
}
