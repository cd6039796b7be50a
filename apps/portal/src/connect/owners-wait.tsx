import { Instant, useNow, usePolled } from '@tallystick/ui'
import { useCallback } from 'preact/hooks'
import type { Activity } from './activity.ts'
import type { Connection } from './connector.ts'
import type { Provider } from './provider/provider.ts'
import type { SafeSignatures } from './provider/safe-provider.ts'

type OwnersWaitProps = {
  readonly activity: Activity<unknown>
  readonly connection: Connection | undefined
  readonly serverOffsetMs: number
  /** Until when the transaction can be executed, in Unix seconds. Undefined if at any time. */
  readonly validBefore?: bigint | undefined
}

const intervalMs = 2_000

/** Renders how many owners of the wallet have signed, while their transaction waits for them. */
export function OwnersWait({ activity, connection, serverOffsetMs, validBefore }: OwnersWaitProps) {
  const isWaiting = activity.phase === 'running' && activity.step === 'owners'
  const callsId = isWaiting ? activity.hash : undefined
  const { provider } = connection?.wallet ?? {}
  const request = useCallback(() => readSignatures(provider as Provider, callsId), [provider, callsId])
  const { value, error } = usePolled(provider && callsId ? request : undefined, intervalMs)
  const now = useNow(serverOffsetMs)
  if (!isWaiting) return null
  return (
    <div class="owners-wait" role="status">
      <p class="hint">
        {error === undefined
          ? describe(value)
          : 'The Safe does not report this transaction. If it was deleted there, reload the page.'}
      </p>
      {validBefore === undefined ? null : <Deadline validBefore={validBefore} now={now} />}
    </div>
  )
}

function describe(signatures: SafeSignatures | undefined): string {
  if (!signatures) return 'Waiting for the owners’ signatures.'
  const { confirmations, required } = signatures
  const count = `${Math.min(confirmations, required)} of ${required}`
  return confirmations < required
    ? `Waiting for the owners’ signatures (${count}).`
    : `Enough owners have signed (${count}). One of them has to execute the transaction in the Safe.`
}

// Time to reach an owner.
const hurrySeconds = 30 * 60

function Deadline({ validBefore, now }: { readonly validBefore: bigint; readonly now: number }) {
  const left = Number(validBefore) - now
  if (left <= 0) {
    return (
      <p class="field-fault">
        The note has expired. The Safe cannot execute this transaction any more. Reject it there, so that it does not
        block others. Nothing is lent.
      </p>
    )
  }
  return (
    <p class={left < hurrySeconds ? 'field-fault' : 'hint'}>
      They have to sign and execute it before <Instant seconds={validBefore} />. A later execution fails, and nothing is
      lent.
    </p>
  )
}

/** Reads the signatures of a transaction. Undefined if the wallet does not tell. */
async function readSignatures(provider: Provider, callsId: string | undefined): Promise<SafeSignatures | undefined> {
  const status = await provider.request({ method: 'wallet_getCallsStatus', params: [callsId] })
  const { capabilities } = (status ?? {}) as { readonly capabilities?: { readonly signatures?: SafeSignatures } }
  return capabilities?.signatures
}
