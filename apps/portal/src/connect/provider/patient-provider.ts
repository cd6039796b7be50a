import type { Provider } from './provider.ts'
import { WalletError } from './wallet-error.ts'

export type PatienceOptions = {
  /** Stops waiting for the user. */
  readonly signal: AbortSignal
  /** Called if the user confirmed a transaction after the page stopped waiting. */
  readonly onLate?: ((hash: string) => void) | undefined
}

// Longest wait for a request that no user has to confirm.
const timeoutMs = 20_000
const prompts = /^(eth_requestAccounts|eth_sendTransaction|eth_sign|personal_sign|wallet_(?!get))/

/**
 * Returns a provider whose requests always end: reads after a time limit, and requests that the user must confirm when the
 * page stops waiting. A wallet that never answers would otherwise block every later action.
 */
export function createPatientProvider(provider: Provider, { signal, onLate }: PatienceOptions): Provider {
  const request: Provider['request'] = (call) =>
    new Promise((resolve, reject) => {
      const isPrompt = prompts.test(call.method)
      if (isPrompt && signal.aborted) return reject(signal.reason)
      let isOver = false
      const finish = (act: () => void) => {
        isOver = true
        clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        act()
      }
      const stop = () => finish(() => reject(signal.reason))
      const fail = () =>
        finish(() => reject(new WalletError('no_answer', `The wallet did not answer ${call.method} in time.`)))
      const timer = isPrompt ? undefined : setTimeout(fail, timeoutMs)
      if (isPrompt) signal.addEventListener('abort', stop)
      provider.request(call).then(
        (value) => {
          if (!isOver) finish(() => resolve(value))
          else if (call.method === 'eth_sendTransaction') onLate?.(String(value))
          else if (call.method === 'wallet_sendCalls') onLate?.(String((value as { readonly id?: unknown } | null)?.id))
        },
        (error: unknown) => {
          if (!isOver) finish(() => reject(error))
        },
      )
    })
  return { request }
}
