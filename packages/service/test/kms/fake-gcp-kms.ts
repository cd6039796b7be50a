import { createPublicKey, generateKeyPairSync, verify } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import { crc32c } from '@tallystick/issuer'
import type { Defer } from '../harness.ts'
import { opensslKeyOf } from './openssl-key.ts'
import { signDigest } from './random-signatures.ts'
import { type Seen, sendJson, serve } from './serve.ts'

export const gcpKey = 'projects/notes-1/locations/europe-west3/keyRings/notes/cryptoKeys/signer/cryptoKeyVersions/1'

/** Handles a request instead of Google; `false` leaves it to Google. */
export type GcpBehavior = (seen: Seen, response: ServerResponse) => unknown

export type FakeGcpKms = {
  readonly endpoint: string
  /** For `GCE_METADATA_HOST`. */
  readonly host: string
  /** JSON key of a service account whose tokens the KMS takes. */
  readonly credentials: string
  readonly requests: readonly Seen[]
  /** How many tokens were given out. */
  readonly tokens: () => number
  /** Refuses all tokens that were given out so far. */
  revokeTokens(): void
  behave(behavior: GcpBehavior | undefined): void
}

type Options = {
  readonly privateKey: string
  readonly algorithm?: string
  /** Resource name of the key version in responses. */
  readonly name?: string
  /** Lifetime of a token. */
  readonly expiresIn?: number
}

const account = generateKeyPairSync('rsa', { modulusLength: 2048 })
const email = 'signer@notes-1.iam.gserviceaccount.com'
const grant = 'urn:ietf:params:oauth:grant-type:jwt-bearer'

/** Google Cloud KMS, the token endpoint and the metadata server, on one port. */
export async function startFakeGcpKms(defer: Defer, options: Options): Promise<FakeGcpKms> {
  const { expiresIn = 3_599 } = options
  let behavior: GcpBehavior | undefined
  let [issued, revoked] = [0, 0]
  const giveToken = (response: ServerResponse) => {
    const access_token = `ya29.a-token-${++issued}`
    sendJson(response, 200, { access_token, expires_in: expiresIn, token_type: 'Bearer' })
  }
  const isAuthorized = ({ headers: { authorization = '' } }: Seen) => {
    const [, number] = /^Bearer ya29\.a-token-(\d+)$/.exec(authorization) ?? []
    return number !== undefined && Number(number) > revoked && Number(number) <= issued
  }
  const handle = async (seen: Seen, response: ServerResponse) => {
    const handled = await behavior?.(seen, response)
    if (behavior && handled !== false) return
    if (seen.path === '/token') {
      if (!isAssertion(seen, tokenUrl()))
        return sendJson(response, 400, { error: 'invalid_grant', error_description: 'no' })
      return giveToken(response)
    }
    if (seen.path.startsWith('/computeMetadata/')) {
      if (seen.headers['metadata-flavor'] !== 'Google') return sendJson(response, 403, {})
      response.setHeader('metadata-flavor', 'Google')
      return giveToken(response)
    }
    if (!isAuthorized(seen)) return refuseGcp(response, 401, 'UNAUTHENTICATED')
    answerKms(seen, response, options)
  }
  const { host, requests } = await serve(handle, defer)
  const tokenUrl = () => `http://${host}/token`
  return {
    endpoint: `http://${host}`,
    host,
    credentials: JSON.stringify({
      ...{ type: 'service_account', project_id: 'notes-1', private_key_id: 'a-key-id', client_email: email },
      private_key: account.privateKey.export({ format: 'pem', type: 'pkcs8' }),
      token_uri: tokenUrl(),
    }),
    requests,
    tokens: () => issued,
    revokeTokens: () => {
      revoked = issued
    },
    behave: (next) => {
      behavior = next
    },
  }
}

function answerKms({ method, path, body }: Seen, response: ServerResponse, options: Options): unknown {
  const { privateKey, algorithm = 'EC_SIGN_SECP256K1_SHA256', name = gcpKey } = options
  const common = { name, protectionLevel: 'HSM' }
  if (method === 'GET' && path === `/v1/${gcpKey}/publicKey`) {
    const pem = createPublicKey(opensslKeyOf(privateKey)).export({ format: 'pem', type: 'spki' }) as string
    return sendJson(response, 200, { ...common, pem, algorithm, pemCrc32c: String(crc32c(Buffer.from(pem))) })
  }
  if (method !== 'POST' || path !== `/v1/${gcpKey}:asymmetricSign`) return refuseGcp(response, 404, 'NOT_FOUND')
  const { digest, digestCrc32c } = JSON.parse(body)
  const bytes = Buffer.from(digest.sha256, 'base64')
  const verifiedDigestCrc32c = digestCrc32c === String(crc32c(bytes))
  if (bytes.length !== 32 || !verifiedDigestCrc32c) return refuseGcp(response, 400, 'INVALID_ARGUMENT')
  const signature = signDigest(privateKey, bytes)
  const checksum = { signatureCrc32c: String(crc32c(signature)), verifiedDigestCrc32c }
  return sendJson(response, 200, { ...common, signature: signature.toString('base64'), ...checksum })
}

/** Answers with an error, with the kind of text that must not get into a log. */
export function refuseGcp(response: ServerResponse, code: number, status: string): void {
  sendJson(response, code, { error: { code, status, message: `Permission denied on resource '${gcpKey}'.` } })
}

/** Verifies the assertion of a service account (RFC 7523). */
function isAssertion({ method, headers, body }: Seen, audience: string): boolean {
  const form = new URLSearchParams(body)
  const [header = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.')
  const parse = (part: string) => JSON.parse(Buffer.from(part, 'base64url').toString())
  const { iss, aud, scope, iat, exp } = parse(claims)
  const nowSeconds = Date.now() / 1_000
  return (
    method === 'POST' &&
    headers['content-type'] === 'application/x-www-form-urlencoded' &&
    form.get('grant_type') === grant &&
    parse(header).alg === 'RS256' &&
    parse(header).kid === 'a-key-id' &&
    iss === email &&
    aud === audience &&
    scope === 'https://www.googleapis.com/auth/cloudkms' &&
    Math.abs(iat - nowSeconds) < 300 &&
    exp - iat <= 3_600 &&
    verify('sha256', Buffer.from(`${header}.${claims}`), account.publicKey, Buffer.from(signature, 'base64url'))
  )
}
