import { exchange, findJson, HttpError, type HttpHead } from '@tallystick/chain'
import { SignerError, toSignerError } from '../signer.ts'

export type GcpResponse = HttpHead & {
  /** Parsed JSON object, or undefined if the body is none. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

export type GcpRequest = {
  /** Name of the server in messages, such as "Google Cloud KMS". */
  readonly name: string
  readonly url: string
  readonly timeoutMs: number
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

// A public key or a token has 1 to 2 KiB.
const responseBytesMax = 65_536

/** Sends a request of one of Google's REST interfaces. Does not follow redirects. Throws `SignerError`. */
export async function sendGcpRequest({ name, ...request }: GcpRequest): Promise<GcpResponse> {
  try {
    const answer = await exchange({ ...request, bytesMax: responseBytesMax })
    return { status: answer.status, headers: answer.headers, body: parseObject(answer.bytes.toString()) }
  } catch (error) {
    throw error instanceof HttpError ? toSignerError(name, error) : error
  }
}

/** Returns the error for a response whose status is not 200. Google's own message is left out: it names the project. */
export function toGcpError(name: string, { status, body }: GcpResponse): SignerError {
  const { status: reason } = (body?.['error'] ?? {}) as { readonly status?: unknown }
  const label =
    typeof reason === 'string' && /^[A-Z_]{1,40}$/.test(reason) ? `${reason}, status ${status}` : `status ${status}`
  if (status === 429 || status >= 500) {
    return new SignerError({ failure: 'unreachable', message: `${name} is unavailable (${label}).` })
  }
  if (status >= 400) {
    return new SignerError({
      failure: 'refused',
      message: `${name} refused the request (${label}). ${adviceOf(status)}`,
    })
  }
  return new SignerError({ failure: 'unreachable', message: `${name} cannot be reached (${label}).` })
}

function adviceOf(status: number): string {
  if (status === 404) return 'Check signer.key: project, location, key ring, key and version.'
  if (status === 403) return 'Grant roles/cloudkms.signerVerifier on the key to the service account.'
  if (status === 401) return 'Check signer.credentials.'
  return 'Check that the key version is enabled, and signer.key.'
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  const value = findJson(text)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject ? (value as Readonly<Record<string, unknown>>) : undefined
}
