import { isIPv6, type LookupFunction, type Socket } from 'node:net'
import { exchange, HttpError, type HttpHead, headerOf } from '@tallystick/chain'
import type { DeliveryResponse } from '@tallystick/core'
import { buildConnector, Client } from 'undici'
import { type AddressPolicy, AddressRefusedError, assertLiteralAllowed } from './address-policy.ts'
import { keepBeginning, type ReplyBeginning } from './keep-beginning.ts'
import { createResolveName, NoAddressError, type ResolveName } from './resolve-name.ts'

/** Response of a receiver, with its beginning for operators to read. */
export type Reply = {
  readonly status: number
  readonly retryAfter: string | undefined
  readonly date: string | undefined
  readonly response: DeliveryResponse
}

type Outgoing = {
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
}

const connectTimeoutMsDefault = 5_000
const timeoutMsDefault = 15_000
// Per address, if a name has several. Node's 250 ms are too few for a handshake between continents.
const attemptTimeoutMs = 1_500
// Enough for an error page. A receiver that sends more is cut off.
const replyBytesMax = 16_384

export function createSender(options: SenderOptions): Sender {
  const { policy, resolve = createResolveName(), ca } = options
  const { connectTimeoutMs = connectTimeoutMsDefault, timeoutMs = timeoutMsDefault } = options
  const connection = {
    timeout: connectTimeoutMs,
    autoSelectFamilyAttemptTimeout: attemptTimeoutMs,
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  }
  return {
    post: async ({ url: text, headers, body, signal }) => {
      const url = new URL(text)
      assertLiteralAllowed(url, policy)
      // The connection uses the very addresses that were checked, so a second resolution cannot replace them.
      const lookup = createLookup({ policy, resolve, isEncrypted: url.protocol === 'https:' })
      const connectSocket = buildConnector({ ...connection, lookup })
      let socket: Socket | undefined
      const connect: buildConnector.connector = (options, callback) => {
        // The declared type omits the return value.
        socket = connectSocket(options, callback) as unknown as Socket
      }
      // One request per connection.
      const dispatcher = new Client(url.origin, { connect, pipelining: 0, headersTimeout: 0, bodyTimeout: 0 })
      const beginning = keepBeginning()
      const request = { url, method: 'POST', headers: { ...headers, 'accept-encoding': 'identity' }, body } as const
      const exchanged = { ...request, bytesMax: replyBytesMax, timeoutMs, signal, dispatcher, onData: beginning.add }
      try {
        return toReply(await exchange(exchanged), beginning)
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        // A failure from here on is one of the body, which does not matter.
        if (error.head) return toReply(error.head, beginning, true)
        if (error.failure === 'timeout') throw new SendTimeoutError('response', timeoutMs)
        if (error.code === 'ETIMEDOUT') throw new SendTimeoutError('connection', connectTimeoutMs)
        throw error.cause instanceof AddressRefusedError || error.cause instanceof NoAddressError ? error.cause : error
      } finally {
        void dispatcher.destroy()
        // The client does not own a socket that is still connecting.
        socket?.destroy()
      }
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

function toReply(head: HttpHead, beginning: ReplyBeginning, isCutOff = false): Reply {
  const [retryAfter, date] = [headerOf(head, 'retry-after'), headerOf(head, 'date')]
  return { status: head.status, retryAfter, date, response: beginning.read(head, isCutOff) }
}

type LookupOptions = {
  readonly policy: AddressPolicy
  readonly resolve: ResolveName
  readonly isEncrypted: boolean
}

/** Creates the lookup of a socket. It fails if one of the addresses is not allowed: which one is used is not known. */
function createLookup({ policy, resolve, isEncrypted }: LookupOptions): LookupFunction {
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
