import { ClientError, type ClientErrorOptions } from '../client-error.ts'
import { decodeWebhook, type WebhookEvent } from './decode-webhook.ts'

/** Headers of a webhook: those of a `Request`, or an object such as `request.headers` of Node. Names may have any case. */
export type WebhookHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Options of `verifyWebhook`. */
export type VerifyWebhookOptions = {
  /** Returns the time in Unix milliseconds; `Date.now` by default. */
  readonly now?: (() => number) | undefined
  /** Greatest difference between the time of the request and yours; 300 by default. */
  readonly toleranceSeconds?: number | undefined
}

type Key = Awaited<ReturnType<typeof crypto.subtle.importKey>>

const toleranceSecondsDefault = 300
// Secrets in a rotation. Further signatures are ignored.
const signaturesMax = 20

/**
 * Verifies the signature and the age of a webhook and decodes its event. Pass the body exactly as it was received: JSON that
 * was parsed and written again has another signature. While a secret is rotated, pass both. Throws `WebhookError`: respond
 * with 400 then.
 *
 * @example
 * const secret = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE='
 * const body = '{"type":"test","timestamp":"2027-01-15T08:00:00.000Z","data":{"message":"Hello."}}'
 * const headers = {
 *   'webhook-id': 'msg_1',
 *   'webhook-timestamp': '1800000000',
 *   'webhook-signature': 'v1,KvKYkqedIqwptERb5WVqPzsGs7L1tlAUW/ZOepK7ANM=',
 * }
 * const event = await verifyWebhook(headers, body, secret, { now: () => 1_800_000_000_000 })
 * event.type // => 'test'
 */
export async function verifyWebhook(
  headers: WebhookHeaders,
  body: string | Uint8Array,
  secret: string | readonly string[],
  { now = Date.now, toleranceSeconds = toleranceSecondsDefault }: VerifyWebhookOptions = {},
): Promise<WebhookEvent> {
  const bytes = toBytes(body)
  const keys = await importKeys((Array.isArray(secret) ? secret : [secret]) as readonly string[])
  const id = readHeader(headers, 'webhook-id')
  const timestamp = readHeader(headers, 'webhook-timestamp')
  const signatures = parseSignatures(readHeader(headers, 'webhook-signature'))
  const sentAt = checkTime(timestamp, { nowSeconds: Math.floor(now() / 1000), toleranceSeconds })
  const prefix = new TextEncoder().encode(`${id}.${timestamp}.`)
  const content = new Uint8Array(prefix.length + bytes.length)
  content.set(prefix)
  content.set(bytes, prefix.length)
  if (!(await isSigned(content, { keys, signatures }))) throw wrongSignature()
  return decode(bytes, { id, sentAt })
}

/** Compares in constant time: `verify` of WebCrypto does. */
async function isSigned(
  content: Uint8Array<ArrayBuffer>,
  { keys, signatures }: { readonly keys: readonly Key[]; readonly signatures: readonly Uint8Array<ArrayBuffer>[] },
): Promise<boolean> {
  const pairs = keys.flatMap((key) => signatures.map((signature) => ({ key, signature })))
  const results = await Promise.all(
    pairs.map(({ key, signature }) => crypto.subtle.verify('HMAC', key, signature, content)),
  )
  return results.includes(true)
}

async function importKeys(secrets: readonly string[]): Promise<readonly Key[]> {
  const decoded = secrets.map((secret) => decodeSecret(secret))
  if (decoded.length === 0) throw wrongSecret()
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  return Promise.all(decoded.map((bytes) => crypto.subtle.importKey('raw', bytes, algorithm, false, ['verify'])))
}

function decodeSecret(secret: string): Uint8Array<ArrayBuffer> {
  const bytes = typeof secret === 'string' ? decodeBase64(secret.replace(/^whsec_/, '')) : undefined
  if (!bytes || bytes.length < 24 || bytes.length > 64) throw wrongSecret()
  return bytes
}

function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return undefined
  }
}

/** Returns the signatures of version 1. Each is 32 bytes: 43 characters of base64 and a padding. */
function parseSignatures(header: string): readonly Uint8Array<ArrayBuffer>[] {
  return header
    .split(' ', signaturesMax)
    .flatMap((part) => (/^v1,.{43}=$/.test(part) ? (decodeBase64(part.slice('v1,'.length)) ?? []) : []))
}

function readHeader(headers: WebhookHeaders, name: string): string {
  const value = typeof headers['get'] === 'function' ? headers['get'](name) : findMember(headers, name)
  if (typeof value === 'string' && value !== '') return value
  throw fail('headers', `The header ${name} is missing. Pass the headers of the request as they were received.`)
}

function findMember(headers: object, name: string): unknown {
  const [, value] = Object.entries(headers).find(([key]) => key.toLowerCase() === name) ?? []
  return Array.isArray(value) && value.length === 1 ? value[0] : value
}

function checkTime(
  timestamp: string,
  { nowSeconds, toleranceSeconds }: { readonly nowSeconds: number; readonly toleranceSeconds: number },
): bigint {
  if (!/^\d{1,12}$/.test(timestamp)) throw fail('headers', 'The header webhook-timestamp is not Unix seconds.')
  const ageSeconds = nowSeconds - Number(timestamp)
  if (Math.abs(ageSeconds) <= toleranceSeconds) return BigInt(timestamp)
  const message =
    ageSeconds > 0
      ? `The webhook is ${ageSeconds} s old. It may be a replay, or your clock is ahead.`
      : `The webhook is from ${-ageSeconds} s in the future. Check your clock.`
  throw fail('time', message)
}

function toBytes(body: unknown): Uint8Array {
  if (typeof body === 'string') return new TextEncoder().encode(body)
  if (body instanceof Uint8Array) return body
  throw fail('body', 'Pass the raw body of the request as text or bytes, not the parsed one.')
}

function decode(bytes: Uint8Array, facts: { readonly id: string; readonly sentAt: bigint }): WebhookEvent {
  try {
    return decodeWebhook(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)), facts)
  } catch (cause) {
    const why = cause instanceof ClientError ? cause.message : 'The body is not JSON.'
    throw fail('body', `The signature is valid, but the body cannot be decoded. ${why}`, cause)
  }
}

function wrongSecret(): WebhookError {
  return fail('secret', 'The secret is not the text that `tallystick hooks add` printed: whsec_ and base64.')
}

function wrongSignature(): WebhookError {
  return fail(
    'signature',
    'No signature matches. Check that the secret is the one of this hook and that the body is the raw one. Otherwise the request is forged.',
  )
}

function fail(reason: WebhookError['reason'], message: string, cause?: unknown): WebhookError {
  return new WebhookError({ code: 'invalid_webhook', message, reason, cause })
}

/**
 * Thrown by `verifyWebhook`. `reason` says what is wrong: the `headers`, your `secret`, the `time` of the request, its
 * `signature` or its `body`.
 *
 * @example
 * const reason = await verifyWebhook({}, '{}', 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=').catch((error) => {
 *   if (error instanceof WebhookError) return error.reason
 *   throw error
 * })
 * reason // => 'headers'
 */
export class WebhookError extends ClientError {
  override readonly name = 'WebhookError' as const
  readonly reason: 'headers' | 'secret' | 'time' | 'signature' | 'body'

  constructor({ reason, ...options }: ClientErrorOptions & Pick<WebhookError, 'reason'>) {
    super({ ...options, retryable: false })
    this.reason = reason
  }
}
