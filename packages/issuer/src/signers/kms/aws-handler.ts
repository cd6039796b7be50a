import { exchange, HttpError } from '@tallystick/chain'

/** Request of the AWS SDK. Those of KMS have no query string. */
type AwsRequest = {
  readonly protocol: string
  readonly hostname: string
  readonly port?: number | undefined
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | undefined
}

// A public key has 1 to 2 KiB.
const responseBytesMax = 65_536

/**
 * Creates the transport of the AWS SDK for the requests to KMS. The SDK's own does not end a response that stops halfway.
 * Its errors have the codes that the SDK retries.
 */
export function createAwsHandler(timeoutMs: number) {
  return {
    handle: async ({ protocol, hostname, port, path, headers, body }: AwsRequest) => {
      const url = `${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`
      // Not of the array itself: the SDK's has methods of a string, which warn when they are called.
      const content =
        typeof body === 'string' ? body : body && Buffer.from(body.buffer, body.byteOffset, body.byteLength)
      try {
        const request = { url, method: 'POST', headers, body: content, bytesMax: responseBytesMax, timeoutMs } as const
        const { status, headers: received, bytes } = await exchange(request)
        return { response: { statusCode: status, headers: received, body: bytes } }
      } catch (error) {
        if (!(error instanceof HttpError)) throw error
        const { message, code, failure } = error
        if (failure === 'too_large') throw Object.assign(new Error(message), { name: 'ResponseTooLarge' })
        throw Object.assign(new Error(message), { code, ...(failure === 'timeout' && { name: 'TimeoutError' }) })
      }
    },
  }
}
