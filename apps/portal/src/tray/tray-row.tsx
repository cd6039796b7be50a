import type { PortalChain } from '@tallystick/core'
import { Button, Instant, Pill, shortHex } from '@tallystick/ui'
import type { Connection } from '../connect/connector.ts'
import { TransactionLink } from '../connect/progress.tsx'
import { describeAct, describeState } from '../sent/describe-sent.ts'
import { isPending, type SentTransaction } from '../sent/sent-transaction.ts'

type TrayRowProps = {
  readonly one: SentTransaction
  /** Undefined if the service no longer offers the chain. */
  readonly chain: PortalChain | undefined
  readonly connection: Connection | undefined
  readonly serverOffsetMs: number
  readonly onDismiss: () => void
}

/** Renders a transaction, its state, and what is needed to see its outcome. */
export function TrayRow({ one, chain, connection, serverOffsetMs, onDismiss }: TrayRowProps) {
  const { act, state, hash, executedHash, account, chainId, sentAtMs } = one
  const { label, tone, text } = describeState(state)
  // A block explorer does not know what its owners have not sent.
  const explorer = state.kind === 'signing' || state.kind === 'cancelled' ? undefined : chain?.explorer
  const chainName = chain?.name ?? `chain ${chainId}`
  const need = isPending(one) ? findNeed(chainName, { chainId, connection }) : undefined
  return (
    <li data-sent={hash ?? 'asked'} data-state={state.kind}>
      <div class="row apart">
        <strong>{describeAct(act)}</strong>
        <Pill tone={tone}>{label}</Pill>
      </div>
      <p class="hint">
        <Instant seconds={BigInt(Math.floor((sentAtMs + serverOffsetMs) / 1000))} />, {chainName}, from{' '}
        {shortHex(account)}
      </p>
      {text === undefined ? null : <p class="tray-text">{text}</p>}
      {need === undefined ? null : <p class="tray-text">{need}</p>}
      <div class="row apart">
        {hash === undefined ? null : <TransactionLink hash={executedHash ?? hash} explorer={explorer} />}
        {!isPending(one) || hash === undefined ? (
          <Button class="quiet tray-dismiss" label="Dismiss" suffix={` ${describeAct(act)}`} onClick={onDismiss} />
        ) : null}
      </div>
    </li>
  )
}

/** Returns what the page needs to see the outcome, or undefined if it sees it. */
function findNeed(
  chainName: string,
  { chainId, connection }: Pick<SentTransaction, 'chainId'> & Pick<TrayRowProps, 'connection'>,
): string | undefined {
  if (!connection) return 'Connect your wallet to see its outcome. The page asks the chain through it.'
  if (connection.chainId !== chainId) return `Switch your wallet to ${chainName} to see its outcome.`
  return undefined
}
