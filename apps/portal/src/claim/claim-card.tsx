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
import { listClaimed } from './list-claimed.ts'
import { runClaim } from './run-claim.ts'
import { type Claimable, useClaimable } from './use-claimable.ts'

export type ClaimCardProps = {
  /** Holder of the positions. */
  readonly owner: string
  /** Matured positions that are not claimed, of one chain. */
  readonly holdings: readonly Holding[]
  readonly chain: PortalChain
  /** Report with these positions. Another object after each lookup, also a failed one. */
  readonly report: unknown
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
  const { owner, holdings, chain, connector, isPaused, serverOffsetMs, refresh } = props
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
      <ClaimOutcome {...{ running, chain, refresh }} />
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

/** Looks the wallet up again until the report has what the claim changed, also after a lookup that failed. */
function useRefresh(
  activity: Activity<readonly ClaimedPosition[]>,
  { holdings, report, refresh }: Pick<ClaimCardProps, 'holdings' | 'report' | 'refresh'>,
): void {
  const isListed = ({ tokenId }: ClaimedPosition) => holdings.some((holding) => holding.tokenId === tokenId)
  const isLate =
    activity.phase === 'reorganised' ? !activity.result.every(isListed) : listClaimed(activity).some(isListed)
  useEffect(() => {
    if (!isLate) return undefined
    const timer = setTimeout(refresh, refreshMs)
    return () => clearTimeout(timer)
  }, [isLate, report])
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

type OutcomeProps = {
  readonly running: RunningActivity<readonly ClaimedPosition[]>
  readonly chain: PortalChain
  readonly refresh: () => void
}

function ClaimOutcome(props: OutcomeProps) {
  const { activity } = props.running
  switch (activity.phase) {
    case 'mined':
      return (
        <>
          <Claimed positions={activity.result} />
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
          <ProblemNotice error={activity.error} />
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
      {hasUnknownResult(running.activity) ? (
        <button type="button" class="quiet" onClick={claimAgain}>
          Claim again
        </button>
      ) : null}
    </>
  )
}
