/** The part of a window that the channel uses. */
export type FramedWindow = {
  readonly parent: { postMessage(message: unknown, targetOrigin: string): void }
  /** Origins of the windows around it, the next one first. Firefox does not have it. */
  readonly location: { readonly ancestorOrigins?: ArrayLike<string> | undefined }
  addEventListener(type: 'message', listener: (event: MessageEvent) => void): void
  removeEventListener(type: 'message', listener: (event: MessageEvent) => void): void
}

/** Sends a request to the Safe around the page, and resolves to the data of its response. */
export type SafeRequest = (method: string, params?: unknown) => Promise<unknown>

/** Safe that shows the page. */
type SafeInfo = { readonly address: `0x${string}`; readonly chainId: number }

export type OpenSafe = { readonly request: SafeRequest; readonly info: SafeInfo }

type ChannelOptions = {
  readonly target: FramedWindow
  /** Origins that may be a Safe. */
  readonly origins: readonly string[]
  readonly createId: () => string
  /** Waits before the next attempt. */
  readonly wait: () => Promise<unknown>
}

// Requests that wait for a response at once. The page has a few reads and one transaction.
const pendingMax = 200
// A Safe may start to listen after the page has loaded.
const attemptsMax = 15
const errorLengthMax = 20_000

/** Version of Safe's SDK whose messages these are. A Safe answers versions that it knows. */
const env = { sdkVersion: '9.1.0' }

/**
 * Opens the channel to the Safe that shows this window (Safe Apps protocol). Returns undefined if no Safe of the given origins
 * answers. Until one does, its own origin is asked, or in a browser that does not tell it each of the given ones. From then on
 * messages are exchanged with that origin only.
 */
export async function openSafe({ target, origins, createId, wait }: ChannelOptions): Promise<OpenSafe | undefined> {
  const around = target.location.ancestorOrigins?.[0]
  const candidates = around === undefined ? origins : origins.filter((origin) => origin === around)
  if (candidates.length === 0) return undefined
  const pending = new Map<string, Pending>()
  let safeOrigin: string | undefined
  const onMessage = ({ source, origin, data }: MessageEvent) => {
    if (source !== target.parent || !(safeOrigin === undefined ? candidates : [safeOrigin]).includes(origin)) return
    const response = readResponse(data)
    const waiting = response && pending.get(response.id)
    if (!waiting) return
    pending.delete(response.id)
    waiting(response, origin)
  }
  const post = (message: { readonly id: string; readonly method: string; readonly params: unknown }) => {
    for (const origin of safeOrigin === undefined ? candidates : [safeOrigin])
      target.parent.postMessage({ ...message, env }, origin)
  }
  target.addEventListener('message', onMessage)
  let info: SafeInfo | undefined
  for (let attempt = 0; attempt < attemptsMax && info === undefined; attempt++) {
    const id = createId()
    const answered = new Promise<void>((resolve) => {
      pending.set(id, ({ success, data }, origin) => {
        info ??= success ? readInfo(data) : undefined
        if (info === undefined) return
        safeOrigin ??= origin
        resolve()
      })
    })
    post({ id, method: 'getSafeInfo', params: undefined })
    await Promise.race([answered, wait()])
  }
  pending.clear()
  if (!info) {
    target.removeEventListener('message', onMessage)
    return undefined
  }
  const request: SafeRequest = (method, params) =>
    new Promise((resolve, reject) => {
      if (pending.size >= pendingMax) return reject(new Error('Too many requests wait for the Safe.'))
      const id = createId()
      pending.set(id, ({ success, data, error }) => {
        if (success) resolve(data)
        else reject(new Error(String(error ?? 'The Safe refused the request.').slice(0, errorLengthMax)))
      })
      post({ id, method, params })
    })
  return { request, info }
}

type Response = { readonly id: string; readonly success: boolean; readonly data: unknown; readonly error: unknown }

type Pending = (response: Response, origin: string) => void

/** Reads a message. Any window can send one. */
function readResponse(message: unknown): Response | undefined {
  if (typeof message !== 'object' || message === null) return undefined
  const { id, success, data, error } = message as Partial<Response>
  return typeof id === 'string' && typeof success === 'boolean' ? { id, success, data, error } : undefined
}

function readInfo(data: unknown): SafeInfo | undefined {
  const { safeAddress, chainId } = (data ?? {}) as { readonly safeAddress?: unknown; readonly chainId?: unknown }
  const id = Number(chainId)
  if (typeof safeAddress !== 'string' || !/^0x[0-9a-f]{40}$/i.test(safeAddress)) return undefined
  return Number.isSafeInteger(id) && id > 0 ? { address: safeAddress as SafeInfo['address'], chainId: id } : undefined
}
