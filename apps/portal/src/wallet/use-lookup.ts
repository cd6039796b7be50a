import { useEffect, useRef, useState } from 'preact/hooks'
import type { Address } from 'viem'
import type { PageState } from '../data/page-state.ts'
import { resolveName } from '../data/resolve-name.ts'
import { useRecoveries } from '../reach/page-reachability.ts'
import { keepReport, type Lookup } from './keep-report.ts'
import { lookUpWallet, type Wallet } from './look-up-wallet.ts'
import type { Owner } from './parse-owner.ts'

const idle: Lookup = { status: 'idle' }

type UseLookupOptions = Pick<PageState, 'info' | 'session'> & {
  /** Undefined until the service's time is known: income at another time would be wrong. */
  readonly serverOffsetMs: number | undefined
  /** Undefined if nobody is named. The same object while the same owner is. */
  readonly owner: Owner | undefined
}

/**
 * Looks an owner up, one at a time. A failed lookup leaves no report, and neither does another owner. A failed lookup that
 * keeps the report does.
 */
export function useLookup({ info, session, serverOffsetMs, owner }: UseLookupOptions) {
  const [lookup, setLookup] = useState<Lookup>(idle)
  const running = useRef<AbortController>(undefined)
  const isReady = serverOffsetMs !== undefined
  const run = ({ keepsReport }: { readonly keepsReport: boolean }) => {
    running.current?.abort()
    if (!session || !owner || 'fault' in owner) return setLookup(idle)
    if (!keepsReport) setLookup({ status: 'loading' })
    if (!isReady) return undefined
    const controller = new AbortController()
    running.current = controller
    const { signal } = controller
    const finish = (outcome: Lookup) => {
      if (!signal.aborted) setLookup((known) => (keepsReport ? keepReport(known, outcome) : outcome))
    }
    const look = (address: Address) => {
      const at = BigInt(Math.floor((Date.now() + serverOffsetMs) / 1000))
      return lookUpWallet(session.client, { address, chains: info.chains, at, signal })
    }
    find(owner, { look, signal }).then(finish, (error: unknown) => finish({ status: 'failed', error }))
  }
  useEffect(() => {
    run({ keepsReport: false })
    return () => running.current?.abort()
  }, [owner, session, isReady])
  const recoveries = useRecoveries()
  useEffect(() => {
    if (recoveries > 0) run({ keepsReport: true })
  }, [recoveries])
  return { lookup, run }
}

async function find(
  owner: Exclude<Owner, { readonly fault: string }>,
  { look, signal }: { readonly look: (address: Address) => Promise<Wallet>; readonly signal: AbortSignal },
): Promise<Lookup> {
  if ('address' in owner) return { status: 'found', wallet: await look(owner.address), name: undefined }
  const { name } = owner
  const resolved = await resolveName(name, signal)
  if ('problem' in resolved) return { status: 'unresolved', name, problem: resolved.problem }
  return { status: 'found', wallet: await look(resolved.address), name }
}
