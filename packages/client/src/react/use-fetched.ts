import { useCallback, useEffect, useMemo, useState } from 'react'
import { ClientError } from '../client-error.ts'

/**
 * Value that a hook fetches. `data` stays while it is fetched again and if that fails; `error` is the reason of the last
 * failure. Both are undefined at first, after changed arguments, and on a server.
 */
export type Fetched<Data> = {
  readonly data: Data | undefined
  readonly error: ClientError | undefined
  readonly isLoading: boolean
  /** Fetches again. It has the same identity in every render. */
  readonly refetch: () => void
}

type Fetch<Data> = (signal: AbortSignal) => Promise<Data>
type Outcome<Data> = {
  readonly subject: object
  readonly attempt: number
  readonly data: Data | undefined
  readonly error: ClientError | undefined
}

/**
 * Fetches after mounting, if `key` or `source` changed, on `refetch` and every `refreshSeconds` while the page is visible.
 * An unmounted or changed hook aborts its request. Without `key` it fetches nothing.
 */
export function useFetched<Data>(
  { source, key, refreshSeconds }: { source: object; key: string | undefined; refreshSeconds: number | undefined },
  fetch: Fetch<Data>,
): Fetched<Data> {
  // biome-ignore lint/correctness/useExhaustiveDependencies: `fetch` is another function in every render; `key` says what it fetches.
  const subject = useMemo(() => (key === undefined ? undefined : { fetch }), [source, key])
  const [attempt, setAttempt] = useState(0)
  const [outcome, setOutcome] = useState<Outcome<Data> | undefined>(undefined)
  const refetch = useCallback(() => setAttempt((count) => count + 1), [])
  useEffect(() => {
    if (!subject) return undefined
    const controller = new AbortController()
    const settle = (change: Partial<Outcome<Data>>) => {
      if (controller.signal.aborted) return
      setOutcome((before) => {
        const data = before?.subject === subject ? before.data : undefined
        return { subject, attempt, data, error: undefined, ...change }
      })
    }
    subject.fetch(controller.signal).then(
      (data) => settle({ data }),
      (error: unknown) => settle({ error: toClientError(error) }),
    )
    return () => controller.abort()
  }, [subject, attempt])
  useRefresh(refetch, subject && refreshSeconds)
  const current = outcome && outcome.subject === subject ? outcome : undefined
  return {
    data: current?.data,
    error: current?.error,
    isLoading: subject !== undefined && current?.attempt !== attempt,
    refetch,
  }
}

// Browsers fire a longer timer at once.
const timerMsMax = 2 ** 31 - 1

function useRefresh(refetch: () => void, refreshSeconds: number | undefined): void {
  useEffect(() => {
    if (refreshSeconds === undefined) return undefined
    const refresh = () => {
      // React Native has no document.
      const { document } = globalThis as { readonly document?: { readonly visibilityState: string } }
      if (document?.visibilityState !== 'hidden') refetch()
    }
    // At least a second: 0 would send requests without end.
    const timer = setInterval(refresh, Math.min(Math.max(refreshSeconds, 1) * 1000, timerMsMax))
    return () => clearInterval(timer)
  }, [refetch, refreshSeconds])
}

/** An error that is not the client's can only come from the caller's own `fetch`, which `cause` then shows. */
function toClientError(error: unknown): ClientError {
  if (error instanceof ClientError) return error
  const message = error instanceof Error ? error.message : String(error)
  return new ClientError({ code: 'connection_failed', message, retryable: true, cause: error })
}
