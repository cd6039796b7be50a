import type { RateAnswer } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import { formatDatesIn, formatDuration, Hex, Pill, type Polled, Skeleton } from '@tallystick/ui'
import { Fact } from '../parts/fact.tsx'

// Chains produce a block every few seconds at most, so 60 s without one are highlighted.
const lagSecondsMax = 60

const poolStates: ReadonlyMap<string, string> = new Map([
  ['open', 'Pool open'],
  ['paused', 'Pool paused'],
  ['rejecting', 'Pool rejects loans'],
])

// Reason of a pool without problems. It repeats the status.
const nothingSpecial = 'The pool is not paused.'

/** Renders the status of a chain's pool and the lag of its data. */
export function ChainStatus({ chain, rate }: { readonly chain: PortalChain; readonly rate: Polled<RateAnswer> }) {
  const known = rate.value?.chains.find(({ chainId }) => chainId === chain.id)
  return (
    <div class="card">
      <div class="spread card-head middle">
        <h2>{chain.name}</h2>
        {known ? (
          <Pill tone={known.status === 'open' ? 'good' : 'warn'}>
            {poolStates.get(known.status) ?? 'Pool state unknown'}
          </Pill>
        ) : null}
      </div>
      {known && known.statusReason !== nothingSpecial ? <p class="hint">{formatDatesIn(known.statusReason)}</p> : null}
      {known?.status === 'paused' ? (
        <p class="hint">Notes stay valid, but cannot be used until the pause ends.</p>
      ) : null}
      <dl class="facts">
        <Fact name="Chain">{chain.id}</Fact>
        <Fact name="Data from">
          {known ? (
            freshness(known.dataBlock, known.dataLagSeconds)
          ) : rate.error === undefined ? (
            <Skeleton width="8ch" />
          ) : (
            'unknown'
          )}
        </Fact>
        <Fact name="Pool">
          <Hex value={chain.pool} />
        </Fact>
        <Fact name="Signer">
          <Hex value={chain.signer} />
        </Fact>
      </dl>
    </div>
  )
}

function freshness(block: bigint | null, lagSeconds: number | null) {
  if (block === null) return 'not available'
  const text = `block ${block.toLocaleString('en-US')}`
  if (lagSeconds === null) return text
  const isLate = lagSeconds > lagSecondsMax
  return <span class={isLate ? 'warn bold' : undefined}>{`${text}, ${formatDuration(lagSeconds)} old`}</span>
}
