import { parseRetryAfter, type Time } from '@tallystick/base'
import type { DeliveryResponse } from '@tallystick/core'
import { AddressRefusedError } from './address-policy.ts'
import type { Hook } from './hook.ts'
import { NoAddressError } from './resolve-name.ts'
import { type Reply, type Sender, SendTimeoutError } from './send-request.ts'
import { signedHeaders, type WebhookMessage } from './webhook-message.ts'

/** Result of one request to a receiver. `error` names neither the URL nor text of the receiver. */
export type Attempt = {
  readonly isDelivered: boolean
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
  /** Beginning of the response, for operators. Null if there was none. */
  readonly response: DeliveryResponse | null
  /** Seconds the receiver asked to wait. */
  readonly retryAfterSeconds?: number | undefined
  /** The receiver wants no more webhooks. */
  readonly isGone?: boolean | undefined
}

export type AttemptOptions = {
  readonly message: WebhookMessage
  readonly secrets: readonly string[]
  readonly nowMs: number
  readonly time: Pick<Time, 'monotonic'>
  readonly signal: AbortSignal
}

/** Longest wait between two attempts, also if the receiver asks for more. */
export const delaySecondsMax = 3 * 3600

/** Sends a message to the receiver of a hook. Throws only if `signal` is aborted. */
export async function attemptDelivery(
  sender: Sender,
  { url }: Pick<Hook, 'url'>,
  { message, secrets, nowMs, time, signal }: AttemptOptions,
): Promise<Attempt> {
  const headers = signedHeaders(message, { secrets, nowSeconds: BigInt(Math.floor(nowMs / 1000)) })
  const startedAtMs = time.monotonic()
  const durationMs = () => Math.round(time.monotonic() - startedAtMs)
  try {
    const reply = await sender.post({ url, headers, body: message.body, signal })
    return { ...judge(reply, nowMs), durationMs: durationMs(), response: reply.response }
  } catch (error) {
    signal.throwIfAborted()
    const failure = { isDelivered: false, status: null, response: null }
    return { ...failure, error: describeFailure(error), durationMs: durationMs() }
  }
}

function judge({ status, retryAfter, date }: Reply, nowMs: number): Omit<Attempt, 'durationMs' | 'response'> {
  if (status >= 200 && status < 300) return { isDelivered: true, status, error: null }
  const failure = { isDelivered: false, status }
  if (status === 410) return { ...failure, error: 'status 410: the receiver wants no more webhooks', isGone: true }
  if (status >= 300 && status < 400) return { ...failure, error: `status ${status}: redirects are not followed` }
  if (status !== 429 && status !== 503) return { ...failure, error: `status ${status}` }
  const retryAfterSeconds = parseRetryAfter({ retryAfter, date, nowMs, secondsMax: delaySecondsMax })
  return { ...failure, error: `status ${status}`, retryAfterSeconds }
}

const knownCodes: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused',
  ECONNRESET: 'the connection was closed without a response',
  EPIPE: 'the connection was closed without a response',
  EHOSTUNREACH: 'the host is unreachable',
  ENETUNREACH: 'the network is unreachable',
  ETIMEDOUT: 'the connection timed out',
  ERR_TLS_CERT_ALTNAME_INVALID: 'the certificate is for another name',
  CERT_HAS_EXPIRED: 'the certificate has expired',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'the certificate is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'the certificate is from an unknown authority',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'the certificate is from an unknown authority, or the chain is not complete',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'the certificate is from an unknown authority, or the chain is not complete',
}

/** Describes a failure by its code. Messages of Node quote addresses and text of the receiver. */
function describeFailure(error: unknown): string {
  const isOurs = [AddressRefusedError, SendTimeoutError, NoAddressError].some((known) => error instanceof known)
  if (isOurs) return (error as Error).message
  const { code } = (error ?? {}) as { readonly code?: unknown }
  if (typeof code !== 'string') return 'the request failed'
  const known = knownCodes[code]
  if (known) return `${known} (${code})`
  return /^(HPE_|UND_ERR_HEADERS_OVERFLOW)/.test(code)
    ? `the response is not valid HTTP (${code})`
    : `the request failed (${code})`
}
