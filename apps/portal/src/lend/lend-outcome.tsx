import { expectedIncome, fixedIncome, type OfferedNote } from '@tallystick/client'
import type { LentPosition } from '@tallystick/client/viem'
import type { PortalChain } from '@tallystick/core'
import { Button, formatDollars, formatRate, Instant, Notice, usePolled } from '@tallystick/ui'
import { useCallback, useState } from 'preact/hooks'
import { hasUnknownResult } from '../connect/activity.ts'
import { FailureNotice } from '../connect/failure-notice.tsx'
import { TransactionLink } from '../connect/progress.tsx'
import { isFinal, type RunningActivity } from '../connect/use-activity.ts'
import type { Session } from '../data/session.ts'
import type { SentStore } from '../sent/sent-store.ts'

export type LendOutcomeProps = {
  readonly session: Session
  readonly chain: PortalChain
  readonly running: RunningActivity<LentPosition>
  /** What this browser sent. */
  readonly sent: SentStore
  /** Note on offer now. */
  readonly note: OfferedNote | undefined
  /** Note of the last lend. */
  readonly lentNote: OfferedNote | undefined
  /** Connected account. */
  readonly owner: string | undefined
}

/** Renders how the last lend ended. */
export function LendOutcome(props: LendOutcomeProps) {
  const { running, chain } = props
  const { activity } = running
  switch (activity.phase) {
    case 'idle':
    case 'running':
      return null
    case 'mined':
      return <Mined {...props} position={activity.result} hash={activity.hash} />
    case 'reorganised':
      return (
        <>
          <Notice tone="warn" title="The chain was reorganised">
            {activity.isKnown
              ? 'The block with your lend was removed. The lend waits to be mined again. The page keeps watching.'
              : 'The block with your lend was removed, and the lend with it. Your dollars are in your wallet. You can lend again.'}
          </Notice>
          <TransactionLink hash={activity.hash} explorer={chain.explorer} />
          {activity.isKnown ? null : <Button label="Lend again" onClick={running.reset} />}
        </>
      )
    case 'expired':
      return <Expired {...props} hash={activity.hash} />
    case 'stopped':
      return (
        <>
          <Notice tone="calm" title="The page stopped waiting">
            {activity.hash === undefined
              ? 'Reject the request in your wallet. If you confirm it there, the dollars are lent nevertheless.'
              : 'You confirmed the lend in the wallet. The position appears in the wallet view.'}
          </Notice>
          <Sent {...props} hash={activity.hash} />
        </>
      )
    case 'failed':
      return (
        <>
          <FailureNotice activity={activity} sent={props.sent} />
          <Sent {...props} hash={activity.hash} />
        </>
      )
  }
}

/** Renders the transaction of a lend without a known result. The visitor looks for the position before lending again. */
function Sent({ chain, running, owner, hash }: LendOutcomeProps & { readonly hash: string | undefined }) {
  const isOpen = hasUnknownResult(running.activity)
  return (
    <>
      {hash === undefined ? null : <TransactionLink hash={hash} explorer={chain.explorer} />}
      {isOpen ? (
        <div class="row actions">
          {chain.hasData && owner !== undefined ? (
            <a class="primary" href={`/wallet/${owner}`}>
              Check your positions
            </a>
          ) : null}
          <Button label="Lend again" onClick={running.reset} />
        </div>
      ) : null}
    </>
  )
}

type MinedProps = LendOutcomeProps & { readonly position: LentPosition; readonly hash: string }

function Mined({ session, chain, running, position, hash }: MinedProps) {
  const isIndexed = useIsIndexed(session, { chain, position })
  const { activity } = running
  const { tokenId, principal, coupon, maturityTimestamp, partnerFeeBPS, owner } = position
  const fixed = fixedIncome(position, maturityTimestamp)
  const lendMore = () => {
    running.reset()
    document.getElementById('lend-amount')?.focus()
  }
  return (
    <div class="lend-done">
      <Notice tone="good" title={`You lent $${formatDollars(principal)}`}>
        Position #{String(tokenId)} pays{' '}
        <data id="lent-fixed" value={fixed.toString()}>
          ${formatDollars(fixed)}
        </data>{' '}
        of fixed income at {formatRate(coupon)}, and the floating income on top
        {partnerFeeBPS > 0n ? `, both before the partner’s fee of ${formatRate(partnerFeeBPS)}` : ''}. It matures on{' '}
        <Instant seconds={maturityTimestamp} only="date" />, and you can claim it in full from about{' '}
        <Instant seconds={expectedIncome(position, position).holdsFrom} /> on.
      </Notice>
      {activity.phase === 'mined' && activity.wasMoved ? (
        <p class="hint">A reorganisation moved the lend to another block. It is in the chain.</p>
      ) : null}
      <p class="hint">
        {isFinal(activity) ? 'The chain has confirmed it.' : 'Mined. The page watches until more blocks confirm it.'}
      </p>
      <TransactionLink hash={hash} explorer={chain.explorer} />
      <div class="row actions">
        {!chain.hasData ? null : isIndexed ? (
          <a class="primary" href={`/wallet/${owner}`}>
            See your position
          </a>
        ) : (
          <p class="hint" role="status">
            Your position appears here in a moment…
          </p>
        )}
        <Button label="Lend more" onClick={lendMore} />
      </div>
    </div>
  )
}

function Expired({ note, lentNote, running, hash, chain }: LendOutcomeProps & { readonly hash: string | undefined }) {
  const isNew = note !== undefined && note.validBefore !== lentNote?.validBefore
  return (
    <>
      <Notice tone="warn" title="The note expired while your wallet was open">
        {hash === undefined ? 'Nothing was lent. ' : 'The transaction came too late: nothing was lent. '}
        {isNew && lentNote
          ? `The new note pays ${formatRate(note.coupon)}${note.coupon === lentNote.coupon ? ', as before' : `, the last one paid ${formatRate(lentNote.coupon)}`}. Look at the amounts above, then lend at the new terms.`
          : 'The notes of the next period are loading.'}
      </Notice>
      {hash === undefined ? null : <TransactionLink hash={hash} explorer={chain.explorer} />}
      {isNew ? null : <Button label="Back" onClick={running.reset} />}
    </>
  )
}

const indexIntervalMs = 1_500

/** Returns whether the service's index has the position. It is asked until it has. */
function useIsIndexed(
  { client }: Session,
  { chain, position }: { readonly chain: PortalChain; readonly position: LentPosition },
): boolean {
  const { owner, tokenId } = position
  const key = `${chain.id} ${tokenId}`
  const [found, setFound] = useState<string>()
  const request = useCallback(
    async (signal: AbortSignal) => {
      const [answer] = await client.positions(owner, { chains: [chain.id], signal })
      if (answer?.positions?.some((one) => one.tokenId === tokenId)) setFound(key)
    },
    [client, key],
  )
  usePolled(chain.hasData && found !== key ? request : undefined, indexIntervalMs)
  return found === key
}
