import { within } from '@tallystick/base'
import { exchange, HttpError } from '@tallystick/chain'
import { invalidConfig, type TallystickError } from '@tallystick/core'
import type { Address } from 'viem'
import { type Signer, SignerError, timeoutMsDefault } from '../signer.ts'
import { translateAwsError } from './aws-error.ts'
import { type AwsSdk, loadAwsSdk } from './aws-sdk.ts'
import { type Kms, openKmsSigner } from './kms-signer.ts'

export type AwsKmsOptions = {
  /** Key id, key ARN, alias name or alias ARN. */
  readonly keyId: string
  /** Default: the region of an ARN, or that of the environment. */
  readonly region?: string | undefined
  readonly endpoint?: string | undefined
  readonly address?: Address | undefined
  readonly timeoutMs?: number | undefined
}

// The first one and a retry, which the SDK sends after throttling, a 500 or a lost connection.
const attemptsMax = 2

/** Opens a key in AWS KMS. The SDK finds the credentials: environment, web identity, container or instance role. */
export async function openAwsKmsSigner(options: AwsKmsOptions): Promise<Signer> {
  const sdk = await loadAwsSdk()
  return openKmsSigner(createAwsKms(sdk, options), options.address)
}

function createAwsKms(sdk: AwsSdk, { keyId, timeoutMs = timeoutMsDefault, ...options }: AwsKmsOptions): Kms {
  const region = options.region ?? regionOf(keyId)
  const client = new sdk.KMSClient({
    maxAttempts: attemptsMax,
    requestHandler: createAwsHandler(timeoutMs),
    ...(region !== undefined && { region }),
    ...(options.endpoint !== undefined && { endpoint: options.endpoint }),
  })
  const send = async (command: object) => {
    const aborting = new AbortController()
    try {
      const sent = client.send(command, { abortSignal: aborting.signal })
      // The SDK ignores the signal while it looks for credentials.
      return await within(sent, { limitMs: timeoutMs, onLate: () => throwTimeout(timeoutMs) })
    } catch (error) {
      throw translateAwsError(error)
    } finally {
      aborting.abort()
    }
  }
  return {
    kind: 'aws-kms',
    readPublicKey: async () => {
      const { PublicKey, KeySpec, KeyUsage } = await send(new sdk.GetPublicKeyCommand({ KeyId: keyId }))
      if (!(PublicKey instanceof Uint8Array)) throw malformed('public key')
      if (KeySpec !== 'ECC_SECG_P256K1' || KeyUsage !== 'SIGN_VERIFY') throw wrongKey({ KeySpec, KeyUsage })
      return PublicKey
    },
    signDigest: async (digest) => {
      const { Signature } = await send(
        new sdk.SignCommand({
          KeyId: keyId,
          Message: digest,
          MessageType: 'DIGEST',
          SigningAlgorithm: 'ECDSA_SHA_256',
        }),
      )
      if (!(Signature instanceof Uint8Array)) throw malformed('signature')
      return Signature
    },
  }
}

function throwTimeout(timeoutMs: number): never {
  throw new SignerError({ failure: 'timeout', message: `AWS KMS did not respond within ${timeoutMs} ms.` })
}

function regionOf(keyId: string): string | undefined {
  return /^arn:[\w-]+:kms:([\w-]+):/.exec(keyId)?.[1]
}

function malformed(what: string): SignerError {
  return new SignerError({ failure: 'malformed', message: `AWS KMS returned no ${what}.` })
}

function wrongKey({ KeySpec, KeyUsage }: { readonly KeySpec: unknown; readonly KeyUsage: unknown }): TallystickError {
  return invalidConfig(
    `The AWS KMS key has the key spec ${KeySpec} and the usage ${KeyUsage}. Notes need a key of spec ECC_SECG_P256K1 and usage SIGN_VERIFY. Neither can be changed: create another key.`,
  )
}

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
function createAwsHandler(timeoutMs: number) {
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
