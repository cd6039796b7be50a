import { readChunks } from '@tallystick/core/stream/read-chunks'
import { SignerError } from '../signer.ts'

export type GcpResponse = {
  readonly status: number
  readonly headers: Headers
  /** Parsed JSON object, or undefined if the body is none. */
  readonly body: Readonly<Record<string, unknown>> | undefined
}

export type GcpRequest = {
  /** Name of the server in messages, such as "Google Cloud KMS". */
  readonly name: string
  readonly url: string
  readonly signal: AbortSignal
  readonly method?: 'GET' | 'POST'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

// A public key or a token has 1 to 2 KiB.
const responseBytesMax = 65_536

/** Sends a request of one of Google's REST interfaces. Does not follow redirects. Throws `SignerError`. */
export async function sendGcpRequest({ name, url, ...options }: GcpRequest): Promise<GcpResponse> {
  try {
    const response = await fetch(url, { ...options, redirect: 'manual' })
    const tooLarge = () =>
      new SignerError({ failure: 'malformed', message: `${name}’s response exceeds ${responseBytesMax} bytes.` })
    const chunks = await readChunks(response.body ?? [], { bytesMax: responseBytesMax, tooLarge })
    return { status: response.status, headers: response.headers, body: parseObject(Buffer.concat(chunks).toString()) }
  } catch (error) {
    if (error instanceof SignerError) throw error
    const { cause, message } = error as Error & { readonly cause?: NodeJS.ErrnoException }
    throw new SignerError({ failure: 'unreachable', message: `${name} cannot be reached (${cause?.code ?? message}).` })
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
  try {
    const value = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
