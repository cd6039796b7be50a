import type { OfferedNote } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import { usePolled } from '@tallystick/ui'
import { useCallback, useRef } from 'preact/hooks'
import type { ActivityStep } from '../connect/activity.ts'
import type { Connection } from '../connect/connector.ts'
import { createPatientProvider } from '../connect/provider/patient-provider.ts'
import { estimateFee, readGas } from './network-fee.ts'
import { type Lender, lenderIntervalMs } from './use-lender.ts'

type UseNetworkFeeOptions = {
  readonly connection: Connection | undefined
  readonly chain: PortalChain
  /** Read for this connection and chain. Undefined while it is unknown: then nothing is asked. */
  readonly lender: Lender | undefined
  readonly note: OfferedNote | undefined
  readonly steps: readonly ActivityStep[]
}

/**
 * Returns an estimate of the network fee of a lend, in the smallest unit of the chain's coin. Undefined if the wallet's
 * network does not say it.
 */
export function useNetworkFee(options: UseNetworkFeeOptions): bigint | undefined {
  const { connection, chain, lender, steps } = options
  const { wallet, account } = connection ?? {}
  // Another amount or note costs the same: only the accounts decide when to ask again at once.
  const latest = useRef(options)
  latest.current = options
  const request = useCallback(
    (signal: AbortSignal) => {
      const { wallet: asked, account: owner } = latest.current.connection as Connection
      const known = latest.current.lender as Lender
      const provider = createPatientProvider(asked.provider, { signal })
      return readGas(provider, { chain, account: owner, token: known.token, possible: findPossible(latest.current) })
    },
    [wallet, account, chain, lender?.token],
  )
  const { value: gas } = usePolled(connection && lender ? request : undefined, lenderIntervalMs)
  return gas && estimateFee(steps, gas)
}

/** Returns a lend of the least amount, if the pool may already take that. */
function findPossible({ lender, note }: Pick<UseNetworkFeeOptions, 'lender' | 'note'>) {
  if (!lender || !note || lender.balance < lender.minLend || lender.allowance < lender.minLend) return undefined
  return { note, principal: lender.minLend }
}
