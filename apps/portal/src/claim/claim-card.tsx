import type { ClaimedPosition } from '@tallystick/client/viem'
import { useEffect } from 'preact/hooks'
import { type Activity, hasUnknownResult } from '../connect/activity.ts'
import type { Connection, Connector } from '../connect/connector.ts'
import { Progress, type StepLabels, TransactionLink } from '../connect/progress.tsx'
import { type RunningActivity, useActivity } from '../connect/use-activity.ts'
import { useConnector } from '../connect/use-connector.ts'
import { ProblemNotice, WalletPicker } from '../connect/wallet-picker.tsx'
import type { PortalChain } from '../data/portal-info.ts'
import { formatCents, sumAmounts } from '../format/cents.ts'
import { formatDollars } from '../format/dollars.ts'
import { shortHex } from '../format/short-hex.ts'
import { Notice } from '../parts/notice.tsx'
import type { Holding } from '../wallet/look-up-wallet.ts'
import { runClaim } from './run-claim.ts'
import { type Claimable, useClaimable } from './use-claimable.ts'

export type ClaimCardProps = {
  /** Holder of the positions. */
  readonly owner: string
  /** Matured positions that are not claimed, of one chain. */
  readonly holdings: readonly Holding[]
  readonly chain: PortalChain
  /** Instant of the lookup, in Unix seconds. */
  readonly at: bigint
  readonly connector: Connector
  readonly serverOffsetMs: number
  readonly isPaused: boolean
  /** Looks the wallet up again. */
  readonly refresh: () => void
}

const labels: StepLabels = {
  switch: 'Switch the network in your wallet',
  permit: 'Sign the permit in your wallet',
  approve: 'Approve the positions in your wallet',
  approving: 'The approval is being mined',
  send: 'Confirm the claim in your wallet',
  wait: 'The claim is being mined',
}

/** Renders the matured positions of a wallet on one chain, what each pays, and the buttons that claim them. */
export function ClaimCard(props: ClaimCardProps) {
  const { owner, holdings, chain, connector, isPaused, serverOffsetMs } = props
  const wallets = useConnector(connector)
  const { connection } = wallets
  const running = useActivity<readonly ClaimedPosition[]>()
  const { activity } = running
  const isOwner = connection?.account.toLowerCase() === owner.toLowerCase()
  const claimable = useClaimable({ holdings, chain, connection: isOwner ? connection : undefined })
  useRefresh(activity, props)
  if (holdings.length === 0 && activity.phase === 'idle') return null
  const claim = (tokenIds: readonly bigint[]) => {
    const now = () => BigInt(Math.floor((Date.now() + serverOffsetMs) / 1000))
    running.start((tools) => runClaim({ connection: connection as Connection, chain, tokenIds, now }, tools))
  }
  const canClaim = isOwner && !isPaused && activity.phase !== 'running' && !hasUnknownResult(activity)
  return (
    <section class="card claim" aria-label={`Claim on ${chain.name}`}>
      <h2>{holdings.length > 0 ? `Ready to claim on ${chain.name}` : `Claimed on ${chain.name}`}</h2>
      <ClaimOutcome running={running} chain={chain} />
      {holdings.length > 0 ? <ClaimList {...{ claimable, canClaim, claim }} /> : null}
      {isPaused && holdings.length > 0 ? (
        <p class="field-fault">The pool is paused. Nothing can be claimed until the pause ends.</p>
      ) : null}
      {holdings.length > 0 && canClaim ? (
        <p class="hint claim-how">
          One position takes a signature and a transaction. All at once take an approval of your positions for the pool
          and one more transaction.
        </p>
      ) : null}
      {holdings.length > 0 && !isOwner ? (
        <div class="claim-connect">
          <p class="hint">
            {connection
              ? `Your wallet uses another account. Choose ${shortHex(owner)} in it to claim.`
              : 'Connect the wallet that holds these positions to claim them.'}
          </p>
          <WalletPicker connector={connector} state={wallets} />
        </div>
      ) : null}
      <Progress {...{ activity, labels, plan: ['send', 'wait'], explorer: chain.explorer, onStop: running.stop }} />
    </section>
  )
}

// The index has a block within a second or two.
const refreshMs = 1_500

/** Looks the wallet up again until the report has what the claim changed. */
function useRefresh(
  activity: Activity<readonly ClaimedPosition[]>,
  { holdings, at, refresh }: Pick<ClaimCardProps, 'holdings' | 'at' | 'refresh'>,
): void {
  const isOver = activity.phase === 'mined' || activity.phase === 'reorganised'
  const tokenIds = isOver ? activity.result.map(({ tokenId }) => tokenId) : []
  const listed = tokenIds.filter((tokenId) => holdings.some((holding) => holding.tokenId === tokenId)).length
  const isLate = listed !== (activity.phase === 'reorganised' ? tokenIds.length : 0)
  useEffect(() => {
    if (!isLate) return undefined
    const timer = setTimeout(refresh, refreshMs)
    return () => clearTimeout(timer)
  }, [isLate, at])
}

function ClaimList({
  claimable,
  canClaim,
  claim,
}: {
  readonly claimable: readonly Claimable[]
  readonly canClaim: boolean
  readonly claim: (tokenIds: readonly bigint[]) => void
}) {
  const payouts = claimable.flatMap(({ amounts }) => amounts.payout ?? [])
  const total = sumAmounts(payouts)
  return (
    <>
      <ul class="claim-list">
        {claimable.map(({ holding: { tokenId }, amounts: { principal, income, payout } }) => (
          <li key={String(tokenId)} data-claim={String(tokenId)}>
            <div>
              <strong>Position #{String(tokenId)}</strong>
              <span class="hint">
                {`$${formatCents(principal.cents)} and ${income ? `$${formatCents(income.net.cents)} of` : 'its'} income`}
                {income && income.fee.cents > 0n ? `, after a fee of $${formatCents(income.fee.cents)}` : ''}
              </span>
            </div>
            {payout ? <data value={payout.exact.toString()}>${formatCents(payout.cents)}</data> : null}
            <button type="button" class="quiet" disabled={!canClaim} onClick={() => claim([tokenId])}>
              Claim
              <span class="sr-only"> position {String(tokenId)}</span>
            </button>
          </li>
        ))}
      </ul>
      {claimable.length > 1 ? (
        <div class="claim-all">
          <span>
            All {claimable.length} pay{' '}
            {payouts.length === claimable.length ? (
              <data id="claim-total" value={total.exact.toString()}>
                ${formatCents(total.cents)}
              </data>
            ) : (
              '…'
            )}
          </span>
          <button
            type="button"
            class="primary"
            disabled={!canClaim}
            onClick={() => claim(claimable.map(({ holding }) => holding.tokenId))}
          >
            Claim all {claimable.length}
          </button>
        </div>
      ) : null}
    </>
  )
}

function ClaimOutcome({
  running,
  chain,
}: {
  readonly running: RunningActivity<readonly ClaimedPosition[]>
  readonly chain: PortalChain
}) {
  const { activity } = running
  switch (activity.phase) {
    case 'mined': {
      const paid = activity.result.reduce((sum, position) => sum + position.paid, 0n)
      const names = activity.result.map(({ tokenId }) => `#${tokenId}`).join(', ')
      return (
        <>
          <Notice tone="good" title={`Claimed ${names}`}>
            <data id="claim-paid" value={paid.toString()}>
              ${formatDollars(paid)}
            </data>{' '}
            went to your account.
          </Notice>
          <TransactionLink hash={activity.hash} explorer={chain.explorer} />
        </>
      )
    }
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
          <Notice tone="calm" title="The page stopped waiting">
            {activity.hash === undefined
              ? 'Reject the request in your wallet. If you confirm it there, the claim is sent nevertheless.'
              : 'You confirmed the claim in the wallet. A claimed position disappears from the list below.'}
          </Notice>
          <Sent {...{ running, chain, hash: activity.hash }} />
        </>
      )
    case 'failed':
      return (
        <>
          <ProblemNotice error={activity.error} />
          <Sent {...{ running, chain, hash: activity.hash }} />
        </>
      )
    default:
      return null
  }
}

/** Renders the transaction of a claim without a known result. The visitor looks for its result before claiming again. */
function Sent({
  running,
  chain,
  hash,
}: {
  readonly running: RunningActivity<readonly ClaimedPosition[]>
  readonly chain: PortalChain
  readonly hash: string | undefined
}) {
  return (
    <>
      {hash === undefined ? null : <TransactionLink hash={hash} explorer={chain.explorer} />}
      {hasUnknownResult(running.activity) ? (
        <button type="button" class="quiet" onClick={running.reset}>
          Claim again
        </button>
      ) : null}
    </>
  )
}
