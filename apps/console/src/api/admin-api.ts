import { usePolled } from '@tallystick/ui'
import { useCallback } from 'preact/hooks'

/** Error response of the admin listener, or a failed connection. `message` is for the operator. */
export class AdminError extends Error {
  override readonly name = 'AdminError' as const
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** Client of the admin listener that served this page. */
export type AdminApi = {
  get<Answer>(path: string, signal?: AbortSignal): Promise<Answer>
  post<Answer>(path: string, body?: object, signal?: AbortSignal): Promise<Answer>
}

// A revocation waits up to 5 s for other replicas.
const timeoutMs = 30_000

/**
 * Creates a client that sends the token in a header, which no other site can make a browser do. Cookies are neither sent nor
 * stored. `onUnauthorized` is called when the listener does not accept the token, or no longer.
 */
export function createAdminApi(token: string, onUnauthorized: (error: AdminError) => void): AdminApi {
  const call = async <Answer>(path: string, options: RequestInit): Promise<Answer> => {
    try {
      return (await send(path, { token, options })) as Answer
    } catch (error) {
      if (error instanceof AdminError && error.code === 'unauthorized') onUnauthorized(error)
      throw error
    }
  }
  return {
    get: (path, signal) => call(path, { method: 'GET', ...(signal && { signal }) }),
    post: (path, body = {}, signal) =>
      call(path, { method: 'POST', body: JSON.stringify(body), ...(signal && { signal }) }),
  }
}

async function send(path: string, { token, options }: { readonly token: string; readonly options: RequestInit }) {
  // Other characters cannot be in a header, and no token has them.
  if (!/^[\x21-\x7e]+$/.test(token)) throw wrongToken()
  const timeout = AbortSignal.timeout(timeoutMs)
  const response = await fetch(path, {
    ...options,
    headers: {
      authorization: `Bearer ${token}`,
      'tallystick-by': 'console',
      ...(options.body ? { 'content-type': 'application/json' } : {}),
    },
    cache: 'no-store',
    credentials: 'omit',
    redirect: 'error',
    referrerPolicy: 'no-referrer',
    signal: options.signal ? AbortSignal.any([options.signal, timeout]) : timeout,
  }).catch((error: Error) => {
    if (options.signal?.aborted) throw error
    throw new AdminError(
      'unreachable',
      error.name === 'TimeoutError'
        ? `The service did not respond within ${timeoutMs / 1000} s. Check whether a change was made before you repeat it.`
        : 'The service does not respond. Check that it runs, and the tunnel to it if there is one.',
    )
  })
  const answer = await response.json().catch(() => undefined)
  if (response.ok && answer !== undefined) return answer
  if (response.status === 401) throw wrongToken()
  throw new AdminError(
    answer?.code ?? 'unreachable',
    answer?.message ?? `The response has status ${response.status} and cannot be read. Is this the admin listener?`,
  )
}

function wrongToken(): AdminError {
  return new AdminError(
    'unauthorized',
    'The service does not accept this token. Use admin.token or one of admin.tokens of its configuration.',
  )
}

/** Requests a route at once and then at each interval, while the page is visible. */
export function useData<Value>(api: AdminApi, path: string, intervalMs: number) {
  const request = useCallback((signal: AbortSignal) => api.get<Value>(path, signal), [api, path])
  return usePolled(request, intervalMs)
}
