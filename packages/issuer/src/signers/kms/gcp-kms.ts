import type { Secret } from '@tallystick/base'
import { invalidConfig, type TallystickError } from '@tallystick/core'
import type { Address } from 'viem'
import { type Signer, SignerError, timeoutMsDefault } from '../signer.ts'
import { crc32c } from './crc32c.ts'
import { type GcpResponse, sendGcpRequest, toGcpError } from './gcp-request.ts'
import { createTokenSource, type TokenSource } from './gcp-token.ts'
import { type Kms, openKmsSigner } from './kms-signer.ts'

export type GcpKmsOptions = {
  /** Resource name of a key version: `projects/…/locations/…/keyRings/…/cryptoKeys/…/cryptoKeyVersions/1`. */
  readonly key: string
  /** JSON key of a service account. Without it, the metadata server is asked for a token. */
  readonly credentials?: Secret | undefined
  readonly metadataHost?: string | undefined
  readonly endpoint?: string | undefined
  readonly address?: Address | undefined
  readonly timeoutMs?: number | undefined
}

const name = 'Google Cloud KMS'
const endpointDefault = 'https://cloudkms.googleapis.com'
// Google has secp256k1 only at the protection level HSM.
const algorithm = 'EC_SIGN_SECP256K1_SHA256'

/** Opens a key version in Google Cloud KMS by its REST interface. */
export async function openGcpKmsSigner(options: GcpKmsOptions): Promise<Signer> {
  const { credentials, metadataHost, timeoutMs = timeoutMsDefault } = options
  const tokens = createTokenSource({ credentials: credentials?.reveal(), metadataHost, timeoutMs })
  return openKmsSigner(createGcpKms(options, tokens), options.address)
}

function createGcpKms(
  { key, endpoint = endpointDefault, timeoutMs = timeoutMsDefault }: GcpKmsOptions,
  tokens: TokenSource,
): Kms {
  const base = `${endpoint.replace(/\/+$/, '')}/v1/${key}`
  const call = (path: string, body?: object) => sendWithToken(tokens, { url: `${base}${path}`, body, timeoutMs })
  return {
    kind: 'gcp-kms',
    readPublicKey: async () => {
      const { pem, pemCrc32c, ...found } = await call('/publicKey')
      if (typeof pem !== 'string') throw malformed('public key')
      assertIntact('public key', { bytes: Buffer.from(pem), checksum: pemCrc32c })
      if (found['algorithm'] !== algorithm) throw wrongAlgorithm(found['algorithm'])
      if (!isSameKey(found['name'], key)) throw malformed('public key of this key version')
      return pem
    },
    signDigest: async (digest) => {
      const { signature, signatureCrc32c, verifiedDigestCrc32c, ...found } = await call(':asymmetricSign', {
        digest: { sha256: Buffer.from(digest).toString('base64') },
        digestCrc32c: crc32c(digest).toString(),
      })
      if (typeof signature !== 'string') throw malformed('signature')
      if (verifiedDigestCrc32c !== true) throw corrupted('digest')
      const bytes = Buffer.from(signature, 'base64')
      assertIntact('signature', { bytes, checksum: signatureCrc32c })
      if (!isSameKey(found['name'], key)) throw malformed('signature of this key version')
      return bytes
    },
  }
}

type KmsRequest = { readonly url: string; readonly body: object | undefined; readonly timeoutMs: number }

/** Sends a request with a token, and once more with a new one if the token is refused: it may have been revoked. */
async function sendWithToken(
  tokens: TokenSource,
  { url, body, timeoutMs }: KmsRequest,
): Promise<NonNullable<GcpResponse['body']>> {
  const send = async (): Promise<GcpResponse> => {
    const token = await tokens.get()
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const content = body && { method: 'POST' as const, body: JSON.stringify(body) }
    const response = await sendGcpRequest({ name, url, timeoutMs, headers, ...content })
    if (response.status === 401) tokens.discard(token)
    return response
  }
  const first = await send()
  const response = first.status === 401 ? await send() : first
  if (response.status !== 200) throw toGcpError(name, response)
  if (!response.body)
    throw new SignerError({ failure: 'malformed', message: `${name}’s response is not a JSON object.` })
  return response.body
}

/** Checks the CRC-32C, which Google sends as a decimal text. */
function assertIntact(
  what: string,
  { bytes, checksum }: { readonly bytes: Uint8Array; readonly checksum: unknown },
): void {
  if (String(checksum) !== crc32c(bytes).toString()) throw corrupted(what)
}

/** Compares resource names without their project, which has an id and a number. */
function isSameKey(found: unknown, key: string): boolean {
  const inProject = (name: string) => name.replace(/^projects\/[^/]+/, '')
  return typeof found === 'string' && inProject(found) === inProject(key)
}

function corrupted(what: string): SignerError {
  const message = `The ${what} was corrupted on the way to or from ${name}: its CRC-32C does not match. Nothing was published.`
  return new SignerError({ failure: 'malformed', message })
}

function malformed(what: string): SignerError {
  return new SignerError({ failure: 'malformed', message: `${name} returned no ${what}.` })
}

function wrongAlgorithm(found: unknown): TallystickError {
  return invalidConfig(
    `The Google Cloud KMS key has the algorithm ${/^\w{1,60}$/.test(String(found)) ? found : 'unknown'}. Notes need ${algorithm}, which exists at the protection level HSM. Create another key.`,
  )
}
