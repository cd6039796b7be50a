import type { ClaimedPosition } from '@tallystick/client/viem'
import type { PortalChain } from '@tallystick/core'
import { shortHex, useSubscribed } from '@tallystick/ui'
import { useEffect } from 'preact/hooks'
import { type Activity, hasUnknownResult } from '../connect/activity.ts'
import type { Connection, Connector } from '../connect/connector.ts'
import { isDeclined } from '../connect/explain-wallet-error.ts'
import { OwnersWait } from '../connect/owners-wait.tsx'
import { Progress, type StepLabels } from '../connect/progress.tsx'
import { useActivity } from '../connect/use-activity.ts'
import { WalletPicker } from '../connect/wallet-picker.tsx'
import { useKeptFocus } from '../parts/use-kept-focus.ts'
import { useIsLost } from '../reach/page-reachability.ts'
import { type SentStore, useSent } from '../sent/sent-store.ts'
import { listClaiming } from '../sent/sent-transaction.ts'
import type { Holding } from '../wallet/look-up-wallet.ts'
import { ClaimList } from './claim-list.tsx'
import { ClaimOutcome } from './claim-outcome.tsx'
import { type ClaimReport, listClaimed, runClaim } from './run-claim.ts'
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
  /** What this browser sent. */
  readonly sent: SentStore
  readonly serverOffsetMs: number
  readonly isPaused: boolean
  /** Looks the wallet up again. */
  readonly refresh: () => void
}

const labels: StepLabels = {
  approve: 'Approve the positions in your wallet',
  send: 'Confirm the claim in your wallet',
  wait: 'The claim is being mined',
}

/** Renders the matured positions of a wallet on one chain, what each pays, and the buttons that claim them. */
export function ClaimCard(props: ClaimCardProps) {
  const { owner, holdings, chain, connector, sent, isPaused, serverOffsetMs, refresh } = props
  const wallets = useSubscribed(connector.get, connector.subscribe)
  const { connection } = wallets
  const running = useActivity<ClaimReport>()
  const { activity } = running
  const isOwner = connection?.account.toLowerCase() === owner.toLowerCase()
  const claimable = useClaimable({ holdings, chain, connection: isOwner ? connection : undefined })
  const keepFocus = useKeptFocus()
  const claiming = listClaiming(useSent(sent), { chainId: chain.id, account: owner })
  useRefresh(activity, props)
  if (holdings.length === 0 && activity.phase === 'idle') return null
  const now = () => BigInt(Math.floor((Date.now() + serverOffsetMs) / 1000))
  const claim = (tokenIds: readonly bigint[], acceptMissingIncome: boolean) => {
    const order = { connection: connection as Connection, chain, tokenIds, acceptMissingIncome, now, sent }
    running.start((tools) => runClaim(order, tools))
  }
  const isLost = useIsLost()
  const canClaim = isOwner && !isPaused && !isLost && activity.phase !== 'running' && !hasUnknownResult(activity)
  return (
    <section ref={keepFocus} class="card claim" aria-label={`Claim on ${chain.name}`} tabIndex={-1}>
      <h2>{`${titleOf(claimable)} on ${chain.name}`}</h2>
      {activity.phase === 'idle' || activity.phase === 'running' ? null : (
        <div tabIndex={-1} data-focus={isDeclined(activity) ? undefined : true}>
          <ClaimOutcome {...{ running, sent, chain, refresh }} />
        </div>
      )}
      {holdings.length > 0 ? <ClaimList {...{ claimable, claiming, canClaim, claim, at: now() }} /> : null}
      {isLost && holdings.length > 0 ? (
        <p class="field-fault">The service does not respond. You can claim when it is back.</p>
      ) : null}
      {isPaused && holdings.length > 0 ? (
        <p class="field-fault">The pool is paused. Nothing can be claimed until the pause ends.</p>
      ) : null}
      {holdings.length > 0 && canClaim ? (
        <p class="hint">
          {connection?.wallet.hasOwners
            ? 'The Safe approves and claims in one transaction, which its owners sign.'
            : 'One position takes a signature and a transaction. All at once take an approval of your positions for the pool and one more transaction.'}
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
      <OwnersWait {...{ activity, connection, serverOffsetMs }} />
    </section>
  )
}

function titleOf(claimable: readonly Claimable[]): string {
  if (claimable.length === 0) return 'Claimed'
  return claimable.every(({ missing }) => missing) ? 'Matured' : 'Ready to claim'
}

// The index has a block within a second or two.
const refreshMs = 1_500

/** Looks the wallet up again until the report has what the claim changed, also after a lookup that failed. */
function useRefresh(
  activity: Activity<ClaimReport>,
  { holdings, report, refresh }: Pick<ClaimCardProps, 'holdings' | 'report' | 'refresh'>,
): void {
  const isListed = ({ tokenId }: ClaimedPosition) => holdings.some((holding) => holding.tokenId === tokenId)
  const isLate =
    activity.phase === 'reorganised' ? !activity.result.positions.every(isListed) : listClaimed(activity).some(isListed)
  useEffect(() => {
    if (!isLate) return undefined
    const timer = setTimeout(refresh, refreshMs)
    return () => clearTimeout(timer)
  }, [isLate, report])
}
