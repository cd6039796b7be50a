import type { ClaimedPosition } from '@tallystick/client/viem'
import type { PortalChain } from '@tallystick/core'
import { Button, formatDollars, Notice } from '@tallystick/ui'
import { hasUnknownResult } from '../connect/activity.ts'
import { explainWalletError } from '../connect/explain-wallet-error.ts'
import { FailureNotice } from '../connect/failure-notice.tsx'
import { TransactionLink } from '../connect/progress.tsx'
import type { RunningActivity } from '../connect/use-activity.ts'
import type { SentStore } from '../sent/sent-store.ts'
import { type ClaimReport, listClaimed } from './run-claim.ts'

type OutcomeProps = {
  readonly running: RunningActivity<ClaimReport>
  readonly sent: SentStore
  readonly chain: PortalChain
  readonly refresh: () => void
}

/** Renders how a claim ended: what was paid, what was left out, and what failed. */
export function ClaimOutcome(props: OutcomeProps) {
  const { activity } = props.running
  switch (activity.phase) {
    case 'mined':
      return (
        <>
          <Claimed positions={activity.result.positions} />
          {activity.result.skipped.map(({ tokenId, error }) => (
            <Notice key={String(tokenId)} tone="warn" title={`Position #${tokenId} was left out`}>
              {explainWalletError(error).text}
            </Notice>
          ))}
          <TransactionLink hash={activity.hash} explorer={props.chain.explorer} />
        </>
      )
    case 'reorganised':
      return (
        <Notice tone="warn" title="The chain was reorganised">
          {activity.isKnown
            ? 'The block with your claim was removed. The claim waits to be mined again. The page keeps watching.'
            : 'The block with your claim was removed, and the claim with it. You can claim again.'}
        </Notice>
      )
    case 'stopped':
      return (
        <>
          <Claimed positions={listClaimed(activity)} />
          <Notice tone="calm" title="The page stopped waiting">
            {activity.hash === undefined
              ? 'Reject the request in your wallet. If you confirm it there, the claim is sent nevertheless.'
              : 'You confirmed the claim in the wallet. A claimed position disappears from the list below.'}
          </Notice>
          <Sent {...props} hash={activity.hash} />
        </>
      )
    case 'failed':
      return (
        <>
          <Claimed positions={listClaimed(activity)} />
          <FailureNotice activity={activity} sent={props.sent} />
          <Sent {...props} hash={activity.hash} />
        </>
      )
    default:
      return null
  }
}

/** Renders what was paid. */
function Claimed({ positions }: { readonly positions: readonly ClaimedPosition[] }) {
  if (positions.length === 0) return null
  const paid = positions.reduce((sum, position) => sum + position.paid, 0n)
  return (
    <Notice tone="good" title={`Claimed ${positions.map(({ tokenId }) => `#${tokenId}`).join(', ')}`}>
      <data id="claim-paid" value={paid.toString()}>
        ${formatDollars(paid)}
      </data>{' '}
      went to your account.
    </Notice>
  )
}

/** Renders the transaction of a claim without a known result. The visitor looks for its result before claiming again. */
function Sent({ running, chain, refresh, hash }: OutcomeProps & { readonly hash: string | undefined }) {
  const claimAgain = () => {
    running.reset()
    refresh()
  }
  return (
    <>
      {hash === undefined ? null : <TransactionLink hash={hash} explorer={chain.explorer} />}
      {hasUnknownResult(running.activity) ? <Button label="Claim again" onClick={claimAgain} /> : null}
    </>
  )
}
