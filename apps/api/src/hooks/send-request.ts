import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'
import { isIPv6, type LookupFunction } from 'node:net'
import type { AddressPolicy } from './address-policy.ts'
import { assertLiteralAllowed } from './hook-url.ts'
import { createResolveName, NoAddressError, type ResolveName } from './resolve-name.ts'

/** Response of a receiver. Its body is discarded. */
export type Reply = {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly date: string | undefined
}

export type Outgoing = {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  readonly signal: AbortSignal
}

export type SenderOptions = {
  readonly policy: AddressPolicy
  /** Returns the addresses of a name. DNS by default. */
  readonly resolve?: ResolveName | undefined
  /** Certificates to trust instead of the system's. */
  readonly ca?: string | undefined
  readonly connectTimeoutMs?: number | undefined
  /** Time limit of the whole request, with its connection and the body of the response. */
  readonly timeoutMs?: number | undefined
}

export type Sender = {
  /** Sends a POST request. Follows no redirect and uses no proxy. Throws if there is no response. */
  post(outgoing: Outgoing): Promise<Reply>
  close(): void
}

const connectTimeoutMsDefault = 5_000
const timeoutMsDefault = 15_000
// Per address, if a name has several. Node's 250 ms are too few for a handshake between continents.
const attemptTimeoutMs = 1_500
// Enough for an error page. A receiver that sends more is cut off.
const replyBytesMax = 16_384

export function createSender({
  policy,
  resolve = createResolveName(),
  ca,
  connectTimeoutMs = connectTimeoutMsDefault,
  timeoutMs = timeoutMsDefault,
}: SenderOptions): Sender {
  // Own agents: Node's global ones use the proxies of the environment if NODE_USE_ENV_PROXY is set.
  const common = { autoSelectFamilyAttemptTimeout: attemptTimeoutMs }
  const trust = { rejectUnauthorized: true, ...(ca !== undefined && { ca }) }
  const agents = { http: new HttpAgent(common), https: new HttpsAgent({ ...common, ...trust }) }
  return {
    post: async ({ url: text, headers, body, signal }) => {
      const url = new URL(text)
      const isEncrypted = url.protocol === 'https:'
      assertLiteralAllowed(url, policy)
      const request = (isEncrypted ? httpsRequest : httpRequest)(url, {
        method: 'POST',
        headers: { ...headers, 'content-length': String(body.length) },
        agent: isEncrypted ? agents.https : agents.http,
        // The connection uses the very addresses that were checked, so a second resolution cannot replace them.
        lookup: createLookup({ policy, resolve, isEncrypted }),
        signal,
      })
      const whole = setTimeout(() => request.destroy(new SendTimeoutError('response', timeoutMs)), timeoutMs)
      const connecting = setTimeout(
        () => request.destroy(new SendTimeoutError('connection', connectTimeoutMs)),
        connectTimeoutMs,
      )
      request.on('socket', (socket) => {
        socket.once(isEncrypted ? 'secureConnect' : 'connect', () => clearTimeout(connecting))
      })
      try {
        return await new Promise<Reply>((fulfil, reject) => {
          request.on('error', reject)
          request.on('response', (response) => {
            // A failure from here on is one of the body, which does not matter.
            request.off('error', reject).on('error', () => undefined)
            void discard(response).then(() => fulfil(toReply(response)))
          })
          request.end(body)
        })
      } finally {
        clearTimeout(whole)
        clearTimeout(connecting)
        request.destroy()
      }
    },
    close: () => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

/** No response, or no connection, in time. */
export class SendTimeoutError extends Error {
  override readonly name = 'SendTimeoutError' as const
  constructor(what: 'response' | 'connection', limitMs: number) {
    super(`no ${what} within ${limitMs / 1000} s`)
  }
}

/** Waits for the end of the body, its failure or its limit: the status alone is the result. */
function discard(response: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let bytes = 0
    response.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > replyBytesMax) response.destroy()
    })
    response.on('error', () => undefined)
    response.once('close', resolve)
  })
}

function toReply({ statusCode = 0, headers }: IncomingMessage): Reply {
  return { status: statusCode, retryAfter: headers['retry-after'], date: headers.date }
}

/** Creates the lookup of a socket. It fails if one of the addresses is not allowed: which one is used is not known. */
function createLookup({
  policy,
  resolve,
  isEncrypted,
}: {
  readonly policy: AddressPolicy
  readonly resolve: ResolveName
  readonly isEncrypted: boolean
}): LookupFunction {
  return (name, options, callback) => {
    const answer = async () => {
      const addresses = await resolve(name)
      for (const address of addresses) policy.assertAllowed(address, { name, isEncrypted })
      const found = addresses.map((address) => ({ address, family: isIPv6(address) ? 6 : 4 }))
      const [first] = found
      if (!first) throw new NoAddressError(`the name ${name} has no address in DNS`)
      return { found, first }
    }
    answer().then(
      ({ found, first }) => (options.all ? callback(null, found) : callback(null, first.address, first.family)),
      (error) => callback(error, ''),
    )
  }
}
