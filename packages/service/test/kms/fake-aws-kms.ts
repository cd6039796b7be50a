import { createHash, createHmac, createPublicKey, timingSafeEqual } from 'node:crypto'
import type { ServerResponse } from 'node:http'
import type { Defer } from '../harness.ts'
import { opensslKeyOf } from './openssl-key.ts'
import { signDigest } from './random-signatures.ts'
import { type Seen, serve } from './serve.ts'

export const awsCredentials = {
  accessKeyId: 'AKIDEXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
}
/** Variables by which the SDK finds these credentials and nothing of the machine. */
export const awsEnv = {
  AWS_ACCESS_KEY_ID: awsCredentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: awsCredentials.secretAccessKey,
  AWS_SESSION_TOKEN: undefined,
  AWS_PROFILE: undefined,
  AWS_REGION: undefined,
  AWS_CONFIG_FILE: '/nonexistent',
  AWS_SHARED_CREDENTIALS_FILE: '/nonexistent',
  AWS_EC2_METADATA_DISABLED: 'true',
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
}
export const keyArn = 'arn:aws:kms:eu-central-1:111122223333:key/1234abcd-12ab-34cd-56ef-1234567890ab'

/** Handles a request instead of the KMS; `false` leaves it to the KMS. */
export type AwsBehavior = (seen: Seen & { readonly operation: string }, response: ServerResponse) => unknown

export type FakeAwsKms = {
  readonly endpoint: string
  readonly requests: readonly Seen[]
  behave(behavior: AwsBehavior | undefined): void
}

/** AWS KMS by its protocol (AWS JSON 1.1): signatures of requests are verified (SigV4), nonces are random. */
export async function startFakeAwsKms(
  defer: Defer,
  {
    privateKey,
    keySpec = 'ECC_SECG_P256K1',
    keyUsage = 'SIGN_VERIFY',
  }: { readonly privateKey: string; readonly keySpec?: string; readonly keyUsage?: string },
): Promise<FakeAwsKms> {
  let behavior: AwsBehavior | undefined
  const spki = createPublicKey(opensslKeyOf(privateKey)).export({ format: 'der', type: 'spki' })
  const handle = async (seen: Seen, response: ServerResponse) => {
    const operation = String(seen.headers['x-amz-target']).replace('TrentService.', '')
    const handled = await behavior?.({ ...seen, operation }, response)
    if (behavior && handled !== false) return
    if (!isSigned(seen)) return refuse(response, 400, 'InvalidSignatureException')
    const input = JSON.parse(seen.body)
    if (![keyArn, 'alias/notes', keyArn.split('/').at(-1)].includes(input.KeyId)) {
      return refuse(response, 400, 'NotFoundException')
    }
    if (operation === 'GetPublicKey') {
      const algorithms = { SigningAlgorithms: ['ECDSA_SHA_256'], CustomerMasterKeySpec: keySpec }
      const key = { KeyId: keyArn, PublicKey: spki.toString('base64'), KeySpec: keySpec, KeyUsage: keyUsage }
      return answer(response, 200, { ...key, ...algorithms })
    }
    const digest = Buffer.from(input.Message, 'base64')
    const isValid =
      operation === 'Sign' &&
      input.MessageType === 'DIGEST' &&
      input.SigningAlgorithm === 'ECDSA_SHA_256' &&
      digest.length === 32
    if (!isValid) return refuse(response, 400, 'ValidationException')
    const Signature = signDigest(privateKey, digest).toString('base64')
    answer(response, 200, { KeyId: keyArn, Signature, SigningAlgorithm: 'ECDSA_SHA_256' })
  }
  const { host, requests } = await serve(handle, defer)
  return {
    endpoint: `http://${host}`,
    requests,
    behave: (next) => {
      behavior = next
    },
  }
}

export function answer(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1', 'x-amzn-requestid': 'a-request' })
  response.end(JSON.stringify(body))
}

/** Answers with an error, with the kind of text that must not get into a log. */
export function refuse(response: ServerResponse, status: number, type: string): void {
  const message = `User: arn:aws:iam::111122223333:user/${awsCredentials.accessKeyId} is not authorized`
  answer(response, status, { __type: type, message })
}

/** Verifies the signature of a request (AWS Signature Version 4). */
function isSigned({ method, path, headers, body }: Seen): boolean {
  const form =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([\w-]+)\/kms\/aws4_request, SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})$/
  const [, keyId, date = '', region = '', signed = '', signature = ''] = form.exec(headers.authorization ?? '') ?? []
  if (keyId !== awsCredentials.accessKeyId || !/\bhost\b/.test(signed) || !/\bx-amz-target\b/.test(signed)) return false
  const canonicalHeaders = signed.split(';').map((name) => `${name}:${String(headers[name]).trim()}\n`)
  const canonical = [method, path, '', canonicalHeaders.join(''), signed, sha256(body)].join('\n')
  const scope = `${date}/${region}/kms/aws4_request`
  const text = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n')
  const key = [date, region, 'kms', 'aws4_request'].reduce<Buffer>(
    (secret, part) => createHmac('sha256', secret).update(part).digest(),
    Buffer.from(`AWS4${awsCredentials.secretAccessKey}`),
  )
  const expected = createHmac('sha256', key).update(text).digest()
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
