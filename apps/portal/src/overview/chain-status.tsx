import type { RateAnswer } from '@tallystick/client'
import type { PortalChain } from '../data/portal-info.ts'
import type { Polled } from '../data/use-polled.ts'
import { formatDuration } from '../format/format-time.ts'
import { Hex } from '../parts/hex.tsx'
import { Pill } from '../parts/pill.tsx'
import { Skeleton } from '../parts/skeleton.tsx'

// A block a second here, and one every few seconds elsewhere: a minute without one is worth a word.
const lagSecondsMax = 60

const poolStates = { open: 'Pool open', paused: 'Pool paused', unknown: 'Pool state unknown' } as const

/** The chain these notes are for: whether its pool takes lends, and how fresh its data is. */
export function ChainStatus({ chain, rate }: { readonly chain: PortalChain; readonly rate: Polled<RateAnswer> }) {
  const known = rate.value?.chains.find(({ chainId }) => chainId === chain.id)
  return (
    <div class="card">
      <div class="card-head">
        <h2>{chain.name}</h2>
        {known ? <Pill tone={known.status === 'open' ? 'good' : 'warn'}>{poolStates[known.status]}</Pill> : null}
      </div>
      {known?.status === 'paused' ? (
        <p class="hint">
          The pool takes no lends while it is paused. Notes stay valid, but cannot be used until it opens.
        </p>
      ) : null}
      <dl class="facts">
        <div>
          <dt>Chain</dt>
          <dd>{chain.id}</dd>
        </div>
        <div>
          <dt>Data from</dt>
          <dd>
            {known ? (
              freshness(known.dataBlock, known.dataLagSeconds)
            ) : rate.error === undefined ? (
              <Skeleton width="8ch" />
            ) : (
              'not known'
            )}
          </dd>
        </div>
        <div>
          <dt>Pool</dt>
          <dd>
            <Hex value={chain.pool} />
          </dd>
        </div>
        <div>
          <dt>Signer</dt>
          <dd>
            <Hex value={chain.signer} />
          </dd>
        </div>
      </dl>
    </div>
  )
}

function freshness(block: bigint | null, lagSeconds: number | null) {
  if (block === null) return 'not available'
  const text = `block ${block.toLocaleString('en-US')}`
  if (lagSeconds === null) return text
  const isLate = lagSeconds > lagSecondsMax
  return <span class={isLate ? 'late' : undefined}>{`${text}, ${formatDuration(lagSeconds)} old`}</span>
}
