import type { Claimability } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import { usePolled } from '@tallystick/ui'
import { useCallback } from 'preact/hooks'
import type { Connection } from '../connect/connector.ts'
import { amountsOfActive, type HoldingAmounts } from '../wallet/holding-amounts.ts'
import type { Holding } from '../wallet/look-up-wallet.ts'
import { readIncomes } from './run-claim.ts'

/** Matured position and what its claim pays. */
export type Claimable = {
  readonly holding: Holding
  readonly amounts: HoldingAmounts
  /** Income that a claim now would lose. Undefined if it pays all income, or if that is not known: the claim itself asks the pool. */
  readonly missing: Claimability | undefined
}

const intervalMs = 30_000

type UseClaimableOptions = {
  readonly holdings: readonly Holding[]
  readonly chain: PortalChain
  readonly connection: Connection | undefined
}

/**
 * Returns what each position pays: computed from the index, and as soon as the wallet can be asked, as the pool computes it.
 * Both are the same unless a day's floating income was reported or restated meanwhile.
 */
export function useClaimable({ holdings, chain, connection }: UseClaimableOptions): readonly Claimable[] {
  const { account, chainId, wallet } = connection ?? {}
  const tokenIds = holdings.map(({ tokenId }) => tokenId)
  const key = tokenIds.join()
  const request = useCallback(
    (signal: AbortSignal) => readIncomes({ connection: connection as Connection, chain, tokenIds, signal }),
    [wallet, account, chainId, chain, key],
  )
  const canRead = connection !== undefined && chainId === chain.id && tokenIds.length > 0
  const read = usePolled(canRead ? request : undefined, intervalMs).value
  return holdings.map((holding) => {
    const income = read?.incomes.get(holding.tokenId)
    const amounts = income ? amountsOfActive(holding, income) : holding.amounts
    return { holding, amounts, missing: findMissing(holding, read?.lastReportedDay) }
  })
}

function findMissing({ claimability }: Holding, lastReportedDay: bigint | undefined): Claimability | undefined {
  if (claimability?.status !== 'income_not_reported') return undefined
  const isReported = lastReportedDay !== undefined && lastReportedDay >= claimability.maturityDay
  return isReported ? undefined : claimability
}
