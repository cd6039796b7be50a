import type { PortalChain } from '@tallystick/core'
import { Button, Notice } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { describeAct } from '../sent/describe-sent.ts'
import { type SentStore, useSent } from '../sent/sent-store.ts'
import { isPending } from '../sent/sent-transaction.ts'

type PendingLendsProps = {
  readonly sent: SentStore
  readonly chain: PortalChain
  /** Connected account. */
  readonly account: string | undefined
  readonly takesFocus: true | undefined
  /** The button that lends. */
  readonly children: ComponentChildren
}

/** Renders the button that lends, but after a warning and a second choice while a lend of this account may still be mined. */
export function PendingLends({ sent, chain, account, takesFocus, children }: PendingLendsProps) {
  const [accepted, setAccepted] = useState<string>()
  const pending = useSent(sent).filter(
    (one) => isPending(one) && one.chainId === chain.id && one.account === account?.toLowerCase(),
  )
  const lends = pending.filter(({ act }) => act.kind === 'lend')
  const approvals = pending.filter(({ act }) => act.kind === 'approveDollars')
  // Another lend needs another decision.
  const key = lends.map(({ id }) => id).join()
  if (lends.length > 0 && accepted !== key) {
    const list = lends.map(({ act }) => describeAct(act)).join('. ')
    const isAsked = lends.every(({ state }) => state.kind === 'asked')
    return (
      <>
        <Notice
          tone="warn"
          title={isAsked ? 'Your wallet was already asked for a lend' : 'A lend of this account is pending'}
        >
          {list}.{' '}
          {isAsked
            ? 'The page does not know its answer. Look into the wallet first: if you confirm there too, both are lent.'
            : 'It is not mined yet. If you lend again, both are lent.'}
        </Notice>
        <div class="row actions">
          <Button label="Lend again anyway" data-focus={takesFocus} onClick={() => setAccepted(key)} />
        </div>
      </>
    )
  }
  return (
    <>
      {approvals.length > 0 ? (
        <Notice tone="calm" title="An approval is pending">
          {approvals.map(({ act }) => describeAct(act)).join('. ')}. Once it is mined, a lend of this amount needs no
          other.
        </Notice>
      ) : null}
      {children}
    </>
  )
}
