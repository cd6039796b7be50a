import { once } from 'node:events'
import { inspect } from 'node:util'
import { hashNote, type Note, type NoteDomain, verifyNote } from '@tallystick/core'
import { crc32c, type GcpKmsOptions, openGcpKmsSigner, SignerError, signNote } from '@tallystick/issuer'
import { privateKeyToAddress } from 'viem/accounts'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type FakeGcpKms, type GcpBehavior, gcpKey, refuseGcp, startFakeGcpKms } from './fake-gcp-kms.ts'
import { sendJson } from './serve.ts'

const privateKey = `0x${'01'.repeat(32)}` as const
const address = privateKeyToAddress(privateKey)
const other = privateKeyToAddress(`0x${'02'.repeat(32)}`)
const domain: NoteDomain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: address }
const terms: Omit<Note, 'signature'> = {
  ...{ chainId: 324, maturityTimestamp: 4n, coupon: 3n, startedAt: 2n, validAfter: 1n, validBefore: 3n },
}

const start = (options: Partial<Parameters<typeof startFakeGcpKms>[1]> = {}) =>
  startFakeGcpKms(onTestFinished as never, { privateKey, ...options })

const open = (kms: FakeGcpKms, options: Partial<GcpKmsOptions> = {}) =>
  openGcpKmsSigner({ key: gcpKey, endpoint: kms.endpoint, credentials: { reveal: () => kms.credentials }, ...options })

/** Opens a signer that asks the metadata server for its token. */
const openOnMachine = (kms: FakeGcpKms, options: Partial<GcpKmsOptions> = {}) =>
  open(kms, { credentials: undefined, metadataHost: kms.host, ...options })

const isSign: (seen: { readonly path: string }) => boolean = ({ path }) => path.endsWith(':asymmetricSign')

/** Returns the error, after a look at all it would show: no token, no key, no project, no text of the server. */
async function failureOf(work: Promise<unknown>): Promise<SignerError> {
  const error = await work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error) => error,
  )
  const shown = inspect(error, { depth: null, showHidden: true }) + JSON.stringify(error) + inspect(error.cause)
  for (const secret of ['a-token', 'PRIVATE KEY', 'notes-1', 'Permission denied', 'eyJ']) {
    expect(shown).not.toContain(secret)
  }
  return error
}

describe('a working KMS', () => {
  test('default: the address is that of the public key, and notes are signed with it', async () => {
    const kms = await start()
    const signer = await open(kms)
    expect(signer).toMatchObject({ kind: 'gcp-kms', address })
    const note = await signNote(signer, { terms, domain })
    expect(await verifyNote(note, { domain, signer: address })).toEqual({ valid: true, signer: address })
    expect(kms.requests.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /token',
      `GET /v1/${gcpKey}/publicKey`,
      `POST /v1/${gcpKey}:asymmetricSign`,
    ])
    const digest = Buffer.from(hashNote(terms, domain).slice(2), 'hex')
    expect(JSON.parse(kms.requests[2]!.body)).toEqual({
      digest: { sha256: digest.toString('base64') },
      digestCrc32c: crc32c(digest).toString(),
    })
    expect(kms.requests[2]!.headers.authorization).toBe('Bearer ya29.a-token-1')
  })

  test('default: without credentials the metadata server has the token', async () => {
    const kms = await start()
    await signNote(await openOnMachine(kms), { terms, domain })
    expect(kms.requests[0]).toMatchObject({
      method: 'GET',
      path: '/computeMetadata/v1/instance/service-accounts/default/token',
      headers: { 'metadata-flavor': 'Google' },
    })
  })

  test('behavior: one note signed twice has two signatures, and all notes share one token', async () => {
    const kms = await start()
    const signer = await open(kms, { address })
    kms.revokeTokens()
    const notes = await Promise.all(Array.from({ length: 8 }, () => signNote(signer, { terms, domain })))
    expect(new Set(notes.map(({ signature }) => signature.r)).size).toBe(8)
    // The first was revoked. The eight requests that were refused fetched one together.
    expect(kms.tokens()).toBe(2)
  })

  test('behavior: a token that expires within a minute is used for one request only', async () => {
    const kms = await start({ expiresIn: 60 })
    const signer = await open(kms)
    await signNote(signer, { terms, domain })
    expect(kms.tokens()).toBe(2)
    const lasting = await start({ expiresIn: 180 })
    await signNote(await open(lasting), { terms, domain })
    expect(lasting.tokens()).toBe(1)
  })

  test('behavior: the project may have its number in responses', async () => {
    const kms = await start({ name: gcpKey.replace('notes-1', '123456789') })
    await expect(signNote(await open(kms), { terms, domain })).resolves.toBeDefined()
    const another = await start({ name: gcpKey.replace('keyRings/notes', 'keyRings/other') })
    expect((await failureOf(open(another))).message).toBe(
      'Google Cloud KMS returned no public key of this key version.',
    )
  })

  test('behavior: with an address it opens although the public key cannot be read, and signs', async () => {
    const kms = await start()
    kms.behave((seen, response) =>
      seen.path.endsWith('/publicKey') ? refuseGcp(response, 403, 'PERMISSION_DENIED') : false,
    )
    const signer = await open(kms, { address })
    expect(signer.unchecked).toMatchObject({ failure: 'refused' })
    await expect(signNote(signer, { terms, domain })).resolves.toBeDefined()
    const wrong = await open(kms, { address: other })
    await expect(signNote(wrong, { terms, domain })).rejects.toMatchObject({ failure: 'wrong_key' })
    expect((await failureOf(open(kms))).message).toBe(
      'Google Cloud KMS refused the request (PERMISSION_DENIED, status 403). Grant roles/cloudkms.signerVerifier on the key to the service account.',
    )
  })
})

describe('a wrong configuration', () => {
  test('error: an address that is not that of the key, and a key of another algorithm', async () => {
    const kms = await start()
    expect(await failureOf(open(kms, { address: other }))).toMatchObject({
      code: 'invalid_config',
      message: `The KMS key belongs to ${address}, but signer.address is ${other}. Correct the key or the address.`,
    })
    const p256 = await start({ algorithm: 'EC_SIGN_P256_SHA256' })
    expect(await failureOf(open(p256, { address }))).toMatchObject({
      code: 'invalid_config',
      message:
        'The Google Cloud KMS key has the algorithm EC_SIGN_P256_SHA256. Notes need EC_SIGN_SECP256K1_SHA256, which exists at the protection level HSM. Create another key.',
    })
  })

  test.each([
    ['no JSON', () => 'no', 'it is not JSON'],
    ['null', () => 'null', 'the whole is missing or invalid'],
    ['an authorized user', (file: object) => ({ ...file, type: 'authorized_user' }), 'type is missing or invalid'],
    ['no private key', (file: object) => ({ ...file, private_key: '' }), 'private_key is missing or invalid'],
    [
      'a private key that is none',
      (file: object) => ({ ...file, private_key: 'a-token' }),
      'private_key is not an RSA key',
    ],
    [
      'a token URL without TLS',
      (file: object) => ({ ...file, token_uri: 'http://a.example/' }),
      'token_uri is missing',
    ],
  ])('error: credentials with %s', async (_, change, fault) => {
    const kms = await start()
    const changed = change(JSON.parse(kms.credentials))
    const text = typeof changed === 'string' ? changed : JSON.stringify(changed)
    const error = await failureOf(open(kms, { credentials: { reveal: () => text }, address }))
    expect(error).toMatchObject({ code: 'invalid_config', retryable: false })
    expect(error.message).toContain(`signer.credentials is not the JSON key of a service account: ${fault}`)
  })
})

const withBody =
  (change: (body: Record<string, unknown>) => unknown): GcpBehavior =>
  (seen, response) => {
    if (!isSign(seen)) return false
    // Any DER will do: it fails before it is looked at.
    const signature = Buffer.from('3006020101020101', 'hex')
    const checksum = { signatureCrc32c: String(crc32c(signature)), verifiedDigestCrc32c: true }
    return sendJson(response, 200, change({ name: gcpKey, signature: signature.toString('base64'), ...checksum }))
  }

describe('a KMS that fails', () => {
  const corrupted = (what: string) =>
    `The ${what} was corrupted on the way to or from Google Cloud KMS: its CRC-32C does not match. Nothing was published.`
  const refusing =
    (code: number, status: string): GcpBehavior =>
    (seen, response) =>
      isSign(seen) ? refuseGcp(response, code, status) : false
  test.each<[string, GcpBehavior, string, string]>([
    [
      'tokens that it always refuses',
      refusing(401, 'UNAUTHENTICATED'),
      'refused',
      'Google Cloud KMS refused the request (UNAUTHENTICATED, status 401). Check signer.credentials.',
    ],
    [
      'a missing permission',
      refusing(403, 'PERMISSION_DENIED'),
      'refused',
      'Google Cloud KMS refused the request (PERMISSION_DENIED, status 403). Grant roles/cloudkms.signerVerifier on the key to the service account.',
    ],
    [
      'a key that does not exist',
      refusing(404, 'NOT_FOUND'),
      'refused',
      'Google Cloud KMS refused the request (NOT_FOUND, status 404). Check signer.key: project, location, key ring, key and version.',
    ],
    [
      'a disabled version',
      refusing(400, 'FAILED_PRECONDITION'),
      'refused',
      'Google Cloud KMS refused the request (FAILED_PRECONDITION, status 400). Check that the key version is enabled, and signer.key.',
    ],
    [
      'a quota that is used up',
      refusing(429, 'RESOURCE_EXHAUSTED'),
      'unreachable',
      'Google Cloud KMS is unavailable (RESOURCE_EXHAUSTED, status 429).',
    ],
    [
      'an outage',
      refusing(503, 'UNAVAILABLE'),
      'unreachable',
      'Google Cloud KMS is unavailable (UNAVAILABLE, status 503).',
    ],
    [
      'a status that is a text',
      refusing(503, 'a-token'),
      'unreachable',
      'Google Cloud KMS is unavailable (status 503).',
    ],
    [
      'a redirect',
      (seen, response) => (isSign(seen) ? response.writeHead(302, { location: 'https://a.example' }).end() : false),
      'unreachable',
      'Google Cloud KMS cannot be reached (status 302).',
    ],
    [
      'a connection that is cut',
      (seen, response) => (isSign(seen) ? response.destroy() : false),
      'unreachable',
      'Google Cloud KMS cannot be reached (ECONNRESET).',
    ],
    [
      'a web page',
      (seen, response) => (isSign(seen) ? response.end('<html>') : false),
      'malformed',
      'Google Cloud KMS’s response is not a JSON object.',
    ],
    [
      'a response that never ends',
      (seen, response) => (isSign(seen) ? response.end('x'.repeat(100_000)) : false),
      'malformed',
      'Google Cloud KMS sent more than 65536 bytes.',
    ],
    [
      'no signature',
      withBody(({ signature, ...rest }) => rest),
      'malformed',
      'Google Cloud KMS returned no signature.',
    ],
    ['a wrong checksum', withBody((body) => ({ ...body, signatureCrc32c: '7' })), 'malformed', corrupted('signature')],
    ['no checksum', withBody(({ signatureCrc32c, ...rest }) => rest), 'malformed', corrupted('signature')],
    [
      'a digest that it did not verify',
      withBody((body) => ({ ...body, verifiedDigestCrc32c: false })),
      'malformed',
      corrupted('digest'),
    ],
    [
      'another key version',
      withBody((body) => ({ ...body, name: gcpKey.replace(/1$/, '2') })),
      'malformed',
      'Google Cloud KMS returned no signature of this key version.',
    ],
    ['a signature by no key', withBody((body) => body), 'wrong_key', ''],
  ])('error: %s', async (_, behavior, failure, message) => {
    const kms = await start()
    const signer = await open(kms)
    kms.behave(behavior)
    const error = await failureOf(signNote(signer, { terms, domain }))
    expect(error).toBeInstanceOf(SignerError)
    expect([error.failure, error.message]).toEqual([failure, message === '' ? expect.any(String) : message])
  })

  test('error: a public key with a wrong checksum is not used', async () => {
    const kms = await start()
    kms.behave((seen, response) =>
      seen.path.endsWith('/publicKey')
        ? sendJson(response, 200, { pem: 'a key', pemCrc32c: '1', algorithm: 'EC_SIGN_SECP256K1_SHA256', name: gcpKey })
        : false,
    )
    expect((await failureOf(open(kms))).message).toBe(corrupted('public key'))
  })

  test('error: the KMS, the token endpoint or the metadata server does not answer in time', async () => {
    const kms = await start()
    const signer = await open(kms, { timeoutMs: 200 })
    const hang: GcpBehavior = () => new Promise(() => undefined)
    kms.behave(hang)
    expect(await failureOf(signNote(signer, { terms, domain }))).toMatchObject({
      failure: 'timeout',
      message: 'Google Cloud KMS did not respond within 200 ms.',
    })
    const opened = [open(kms, { timeoutMs: 200 }), openOnMachine(kms, { timeoutMs: 200 })].map(failureOf)
    expect((await Promise.all(opened)).map(({ message }) => message)).toEqual([
      'Google’s token endpoint did not respond within 200 ms.',
      'The metadata server did not respond within 200 ms.',
    ])
  })

  test('error: a body that stalls is given up at the time limit, with its connection', async () => {
    const kms = await start()
    const signer = await open(kms, { timeoutMs: 300 })
    const closed: Promise<unknown>[] = []
    kms.behave((_, response) => {
      closed.push(once(response, 'close'))
      response.writeHead(200, { 'content-type': 'application/json' }).write('{"signature":')
    })
    expect((await failureOf(signNote(signer, { terms, domain }))).failure).toBe('timeout')
    await Promise.all(closed)
    kms.behave(undefined)
    await expect(signNote(signer, { terms, domain })).resolves.toBeDefined()
  })

  test.each<[string, GcpBehavior, typeof open, string]>([
    [
      'the assertion is refused',
      (_, response) => sendJson(response, 400, { error: 'invalid_grant' }),
      open,
      'Google’s token endpoint gave no access token (status 400). Check signer.credentials, whether its key was deleted, and the clock.',
    ],
    [
      'the token endpoint is down',
      (_, response) => response.writeHead(503).end(),
      open,
      'Google’s token endpoint is unavailable (status 503).',
    ],
    [
      'there is no token in the answer',
      (_, response) => sendJson(response, 200, { access_token: 'a-token\n', expires_in: 100 }),
      open,
      'Google’s token endpoint sent a response without an access token.',
    ],
    [
      'the machine has no service account',
      (_, response) => response.writeHead(404, { 'metadata-flavor': 'Google' }).end(),
      openOnMachine,
      'The metadata server gave no access token (status 404). Attach a service account to the machine, or set signer.credentials.',
    ],
    [
      'another server is at the address of the metadata server',
      (_, response) => sendJson(response, 200, { access_token: 'a-token', expires_in: 100 }),
      openOnMachine,
      'The metadata server sent a response without an access token.',
    ],
  ])('error: %s', async (_, behavior, openSigner, message) => {
    const kms = await start()
    kms.behave(behavior)
    expect((await failureOf(openSigner(kms))).message).toBe(message)
  })

  test('error: nobody listens there', async () => {
    const kms = await start()
    const error = await failureOf(open(kms, { endpoint: 'http://127.0.0.1:9' }))
    expect([error.failure, error.message]).toEqual([
      'unreachable',
      expect.stringMatching(/^Google Cloud KMS cannot be reached \(/),
    ])
    const machine = await failureOf(openOnMachine(kms, { metadataHost: '127.0.0.1:9' }))
    expect(machine.message).toMatch(/^The metadata server cannot be reached \(/)
  })
})
