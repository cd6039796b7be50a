import { usePolled } from '@tallystick/ui'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Connection } from '../connect/connector.ts'
import type { PortalChain } from '../data/portal-info.ts'
import { type Lender, readLender } from './read-lender.ts'

const intervalMs = 10_000

type UseLenderOptions = {
  readonly connection: Connection | undefined
  readonly chain: PortalChain
  readonly partnerId: `0x${string}` | undefined
  readonly isOpen: boolean
}

/** Reads the connected account and the pool through the wallet, now and then, and after `refresh`. */
export function useLender({ connection, chain, partnerId, isOpen }: UseLenderOptions) {
  const [turn, setTurn] = useState(0)
  const { account, chainId, wallet } = connection ?? {}
  const isReadable = isOpen && connection !== undefined && chainId === chain.id
  const request = useCallback(
    (signal: AbortSignal) => readLender({ connection: connection as Connection, chain, partnerId, signal }),
    [wallet, account, chainId, chain, partnerId, turn],
  )
  const { value, error } = usePolled<Lender | undefined>(isReadable ? request : undefined, intervalMs)
  // The last values of this account stay while it is read again.
  const [last, setLast] = useState<Lender | undefined>(undefined)
  useEffect(() => {
    if (value) setLast(value)
  }, [value])
  const isLast = isReadable && last?.account === account && last?.chainId === chain.id
  const lender = isReadable ? (value ?? (isLast ? last : undefined)) : undefined
  return { lender, error: isReadable ? error : undefined, refresh: () => setTurn((count) => count + 1) }
}
