import { useEffect } from 'preact/hooks'
import type { ConnectorState } from '../connect/connector.ts'
import { createPatientProvider } from '../connect/provider/patient-provider.ts'
import type { Session } from '../data/session.ts'
import type { Sighting } from '../sent/advance-sent.ts'
import type { SentStore } from '../sent/sent-store.ts'
import { isPending, type SentTransaction } from '../sent/sent-transaction.ts'
import { lookAtSent, lookInIndex } from './look-at-sent.ts'
import { watchSent } from './watch-sent.ts'

// Chains with notes have a block every second or two. What was not mined in its first minute may take long.
const youngMs = 60_000
const lookEveryMs = (isYoung: boolean) => (isYoung ? 1_000 : 5_000)
// The index is asked through the API, with the visitor's key.
const indexEveryLooks = 5

type Sources = Pick<ConnectorState, 'connection'> & { readonly session: Session | undefined }

/** Watches what this browser sent: through the wallet if it is on the chain, and otherwise in the service's index. */
export function useWatch(sent: SentStore, { connection, session }: Sources): void {
  const provider = connection?.wallet.provider
  const chainId = connection?.chainId
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const reader = provider && createPatientProvider(provider, { signal })
    let round = 0
    const look = async (one: SentTransaction): Promise<Sighting | undefined> => {
      if (reader && chainId === one.chainId) return lookAtSent(reader, one)
      if (!session?.chainIds.includes(one.chainId) || round % indexEveryLooks !== 0) return undefined
      return lookInIndex(session.client, one)
    }
    const wait = () =>
      new Promise<void>((resolve) => {
        round += 1
        const isYoung = sent.get().some((one) => isPending(one) && Date.now() - one.sentAtMs < youngMs)
        setTimeout(resolve, lookEveryMs(isYoung))
      })
    void watchSent(sent, { look, wait, signal, now: Date.now })
    return () => controller.abort()
  }, [sent, provider, chainId, session])
}
