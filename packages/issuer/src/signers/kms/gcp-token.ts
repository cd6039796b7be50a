import { headerOf } from '@tallystick/chain'
import { SignerError } from '../signer.ts'
import { parseServiceAccount, type ServiceAccount } from './gcp-credentials.ts'
import { type GcpRequest, sendGcpRequest, toGcpError } from './gcp-request.ts'

export type TokenOptions = {
  /** JSON key of a service account. Without it, the metadata server of the machine has the token. */
  readonly credentials?: string | undefined
  /** Host and port of the metadata server, `metadata.google.internal` by default. */
  readonly metadataHost?: string | undefined
  readonly timeoutMs: number
}

/** Access tokens of Google. */
export type TokenSource = {
  /** Returns a token that is valid for a while. Throws `SignerError`. */
  get(): Promise<string>
  /** Forgets a token that a server refused. */
  discard(token: string): void
}

type Token = { readonly value: string; readonly expiresMs: number }

// Google's libraries renew a token earlier than this too: a request with it must arrive before it expires.
const marginMs = 60_000
const metadataPath = '/computeMetadata/v1/instance/service-accounts/default/token'

/** Creates a source that keeps a token until shortly before it expires. Requests at the same time share one fetch. */
export function createTokenSource(options: TokenOptions): TokenSource {
  const { credentials, metadataHost = 'metadata.google.internal', timeoutMs } = options
  const account = credentials === undefined ? undefined : parseServiceAccount(credentials)
  let known: Token | undefined
  let pending: Promise<Token> | undefined
  const fetchToken = async (): Promise<Token> => {
    const name = account ? 'Google’s token endpoint' : 'The metadata server'
    const startedMs = performance.now()
    const request = account ? ofAccount(account) : ofMachine(metadataHost)
    const { value, seconds } = await requestToken({ name, timeoutMs, ...request })
    return { value, expiresMs: startedMs + seconds * 1_000 - marginMs }
  }
  return {
    get: async () => {
      if (known && performance.now() < known.expiresMs) return known.value
      pending ??= fetchToken().finally(() => {
        pending = undefined
      })
      known = await pending
      return known.value
    },
    discard: (token) => {
      if (known?.value === token) known = undefined
    },
  }
}

type TokenRequest = Omit<GcpRequest, 'name' | 'timeoutMs'>

function ofAccount(account: ServiceAccount): TokenRequest {
  // The assertion is compared with Google's clock, whatever the service's clock is.
  const assertion = account.createAssertion(Math.floor(Date.now() / 1_000))
  const form = new URLSearchParams({ grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { url: account.tokenUrl, method: 'POST', headers, body: form.toString() }
}

function ofMachine(host: string): TokenRequest {
  return { url: `http://${host}${metadataPath}`, headers: { 'metadata-flavor': 'Google' } }
}

async function requestToken(request: GcpRequest): Promise<{ readonly value: string; readonly seconds: number }> {
  const { name, method } = request
  const response = await sendGcpRequest(request)
  if (response.status !== 200) throw toTokenError(name, response)
  const { access_token: value, expires_in: seconds } = response.body ?? {}
  // Another server on that address has no such header.
  const isGoogle = method === 'POST' || headerOf(response, 'metadata-flavor') === 'Google'
  const isToken = typeof value === 'string' && /^[\x21-\x7e]{1,8192}$/.test(value)
  if (isGoogle && isToken && typeof seconds === 'number' && seconds > 0) return { value, seconds }
  throw new SignerError({ failure: 'malformed', message: `${name} sent a response without an access token.` })
}

function toTokenError(name: string, response: Parameters<typeof toGcpError>[1]): SignerError {
  const { status } = response
  if (status < 400 || status === 429 || status >= 500) return toGcpError(name, response)
  const advice =
    status === 404
      ? 'Attach a service account to the machine, or set signer.credentials.'
      : 'Check signer.credentials, whether its key was deleted, and the clock.'
  return new SignerError({ failure: 'refused', message: `${name} gave no access token (status ${status}). ${advice}` })
}
