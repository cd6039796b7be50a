// @module-tag slow

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { inspect } from 'node:util'
import { hashNote, type Note, type NoteDomain, verifyNote } from '@tallystick/core'
import { type AwsKmsOptions, openAwsKmsSigner, SignerError, signNote } from '@tallystick/issuer'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { type AwsBehavior, answer, awsCredentials, awsEnv, keyArn, refuse, startFakeAwsKms } from './fake-aws-kms.ts'
import { installAwsSdk } from './install-aws-sdk.ts'
import { signDigest } from './random-signatures.ts'

const privateKey = `0x${'01'.repeat(32)}` as const
const address = privateKeyToAddress(privateKey)
const other = privateKeyToAddress(`0x${'02'.repeat(32)}`)
const domain: NoteDomain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: address }
const terms: Omit<Note, 'signature'> = {
  ...{ chainId: 324, maturityTimestamp: 4n, coupon: 3n, startedAt: 2n, validAfter: 1n, validBefore: 3n },
}

beforeAll(async () => {
  await installAwsSdk()
  for (const [name, value] of Object.entries(awsEnv)) vi.stubEnv(name, value)
})
afterAll(() => {
  vi.unstubAllEnvs()
})

/** Sends a byte whenever the connection takes one, until it is closed. */
function drip(response: ServerResponse): void {
  const timer = setInterval(() => response.write(' '), 20)
  response.once('close', () => clearInterval(timer))
}

/** Sends as much as the connection takes, until it is closed. */
function pour(response: ServerResponse): void {
  const send = () => {
    while (!response.destroyed && response.write(' '.repeat(65_536)));
    if (!response.destroyed) response.once('drain', send)
  }
  send()
}

const start = (options: Partial<Parameters<typeof startFakeAwsKms>[1]> = {}) =>
  startFakeAwsKms(onTestFinished as never, { privateKey, ...options })

const open = (endpoint: string, options: Partial<AwsKmsOptions> = {}) =>
  openAwsKmsSigner({ keyId: keyArn, endpoint, ...options })

/** Returns the error, after a look at all it would show: no secret, no account, no text of the server. */
async function failureOf(work: Promise<unknown>): Promise<SignerError> {
  const error = await work.then(
    () => {
      throw new Error('it did not fail')
    },
    (error) => error,
  )
  const shown = inspect(error, { depth: null, showHidden: true }) + JSON.stringify(error) + inspect(error.cause)
  for (const secret of [...Object.values(awsCredentials), '111122223333', 'not authorized']) {
    expect(shown).not.toContain(secret)
  }
  return error
}

describe('a working KMS', () => {
  test('default: the address is that of the public key, and notes are signed with it', async () => {
    const { endpoint, requests } = await start()
    const signer = await open(endpoint)
    expect(signer).toMatchObject({ kind: 'aws-kms', address })
    expect(signer.unchecked).toBeUndefined()
    const note = await signNote(signer, { terms, domain })
    expect(await verifyNote(note, { domain, signer: address })).toEqual({ valid: true, signer: address })

    expect(requests.map(({ headers }) => headers['x-amz-target'])).toEqual([
      'TrentService.GetPublicKey',
      'TrentService.Sign',
    ])
    const [, sign] = requests
    expect(sign).toMatchObject({ method: 'POST', path: '/', headers: { 'content-type': 'application/x-amz-json-1.1' } })
    expect(JSON.parse(sign!.body)).toEqual({
      KeyId: keyArn,
      Message: Buffer.from(hashNote(terms, domain).slice(2), 'hex').toString('base64'),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    })
    // The region is that of the ARN.
    expect(sign!.headers.authorization).toContain('/eu-central-1/kms/aws4_request')
  })

  test('behavior: one note signed twice has two signatures, and both are valid', async () => {
    const { endpoint } = await start()
    const signer = await open(endpoint, { keyId: 'alias/notes', region: 'eu-west-1', address })
    const notes = await Promise.all(Array.from({ length: 8 }, () => signNote(signer, { terms, domain })))
    expect(new Set(notes.map(({ signature }) => signature.r)).size).toBe(8)
  })

  test.each([
    ['throttling', (response: Parameters<AwsBehavior>[1]) => refuse(response, 400, 'ThrottlingException')],
    ['a status of 500', (response: Parameters<AwsBehavior>[1]) => refuse(response, 500, 'KMSInternalException')],
    ['a connection that is cut', (response: Parameters<AwsBehavior>[1]) => void response.destroy()],
  ])('behavior: a request is sent once more after %s', async (_, fail) => {
    const kms = await start()
    const signer = await open(kms.endpoint, { address })
    let signs = 0
    kms.behave((_, response) => (signs++ === 0 ? fail(response) : false))
    await expect(signNote(signer, { terms, domain })).resolves.toBeDefined()
    expect(signs).toBe(2)
  })

  test('behavior: with an address it opens although the public key cannot be read, and signs', async () => {
    const kms = await start()
    kms.behave(({ operation }, response) =>
      operation === 'GetPublicKey' ? refuse(response, 400, 'AccessDeniedException') : false,
    )
    const signer = await open(kms.endpoint, { address })
    expect(signer.unchecked).toMatchObject({ failure: 'refused' })
    await expect(signNote(signer, { terms, domain })).resolves.toBeDefined()
    await expect(open(kms.endpoint)).rejects.toMatchObject({ code: 'signer_failed', failure: 'refused' })
    // An address that is not that of the key never gets a note.
    const wrong = await open(kms.endpoint, { address: other })
    await expect(signNote(wrong, { terms, domain })).rejects.toMatchObject({ failure: 'wrong_key' })
  })
})

describe('a wrong configuration', () => {
  test('error: an address that is not that of the key', async () => {
    const { endpoint } = await start()
    const error = await failureOf(open(endpoint, { address: other }))
    expect(error).toMatchObject({ code: 'invalid_config', retryable: false })
    expect(error.message).toBe(
      `The KMS key belongs to ${address}, but signer.address is ${other}. Correct the key or the address.`,
    )
  })

  test.each([
    ['spec', { keySpec: 'ECC_NIST_P256' }],
    ['usage', { keyUsage: 'KEY_AGREEMENT' }],
  ])('error: a key of another %s, with and without an address', async (_, options) => {
    const { endpoint } = await start(options)
    for (const configured of [address, undefined]) {
      const error = await failureOf(open(endpoint, { address: configured }))
      expect(error).toMatchObject({ code: 'invalid_config', retryable: false })
      expect(error.message).toContain('Notes need a key of spec ECC_SECG_P256K1 and usage SIGN_VERIFY.')
    }
  })

  test('error: no credentials, wrong ones, no region', async () => {
    const { endpoint } = await start()
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another')
    expect((await failureOf(open(endpoint))).message).toBe(
      'AWS KMS refused the request (InvalidSignatureException, status 400). Check the credentials of the service and the clock.',
    )
    vi.stubEnv('AWS_ACCESS_KEY_ID', undefined)
    expect((await failureOf(open(endpoint))).message).toBe(
      'No AWS credentials were found. Give the service a role, or set the variables of the AWS SDK.',
    )
    for (const [name, value] of Object.entries(awsEnv)) vi.stubEnv(name, value)
    expect((await failureOf(open(endpoint, { keyId: 'alias/notes' }))).message).toBe(
      'AWS KMS has no region. Set signer.region, or give signer.keyId as an ARN.',
    )
  })
})

describe('a KMS that fails', () => {
  test.each<[string, AwsBehavior, string, string]>([
    [
      'AccessDeniedException',
      (_, response) => refuse(response, 400, 'AccessDeniedException'),
      'refused',
      'AWS KMS refused the request (AccessDeniedException, status 400). Allow kms:Sign and kms:GetPublicKey on the key for the role of the service.',
    ],
    [
      'NotFoundException',
      (_, response) => refuse(response, 400, 'NotFoundException'),
      'refused',
      'AWS KMS refused the request (NotFoundException, status 400). Check signer.keyId and the region.',
    ],
    [
      'KMSInvalidStateException',
      (_, response) => refuse(response, 400, 'KMSInvalidStateException'),
      'refused',
      'AWS KMS refused the request (KMSInvalidStateException, status 400). The key is disabled, pending deletion or unavailable. Check its state.',
    ],
    [
      'an exception that nobody knows',
      (_, response) => refuse(response, 400, 'SomethingNewException'),
      'refused',
      'AWS KMS refused the request (SomethingNewException, status 400).',
    ],
    [
      'ThrottlingException',
      (_, response) => refuse(response, 400, 'ThrottlingException'),
      'unreachable',
      'AWS KMS cannot sign now (ThrottlingException, status 400).',
    ],
    [
      'a status of 500',
      (_, response) => refuse(response, 500, 'KMSInternalException'),
      'unreachable',
      'AWS KMS cannot sign now (KMSInternalException, status 500).',
    ],
    [
      'a web page with status 503',
      (_, response) => response.writeHead(503, { 'content-type': 'text/html' }).end('<html>not authorized</html>'),
      'unreachable',
      '',
    ],
    [
      'a connection that is cut',
      (_, response) => response.destroy(),
      'unreachable',
      'AWS KMS cannot be reached (ECONNRESET).',
    ],
    [
      'a body that is cut',
      (_, response) => {
        response.writeHead(200, { 'content-length': 1000 }).write('{"Signature":')
        setImmediate(() => response.destroy())
      },
      'unreachable',
      '',
    ],
    ['garbage', (_, response) => response.writeHead(200).end('{"Signature"'), 'malformed', ''],
    ['an empty answer', (_, response) => answer(response, 200, {}), 'malformed', 'AWS KMS returned no signature.'],
    ['a list', (_, response) => answer(response, 200, []), 'malformed', 'AWS KMS returned no signature.'],
    ['a signature that is a number', (_, response) => answer(response, 200, { Signature: 7 }), 'malformed', ''],
    [
      'a signature that is not DER',
      (_, response) => answer(response, 200, { Signature: Buffer.alloc(64, 1).toString('base64') }),
      'malformed',
      'The KMS returned a signature that is not valid DER. Nothing was published.',
    ],
  ])('error: %s', async (_, behavior, failure, message) => {
    const kms = await start()
    const signer = await open(kms.endpoint)
    kms.behave(behavior)
    const error = await failureOf(signNote(signer, { terms, domain }))
    expect(error).toBeInstanceOf(SignerError)
    expect([error.failure, error.message]).toEqual([
      failure,
      message === '' ? expect.stringMatching(/^AWS KMS /) : message,
    ])
  })

  test('error: no answer within the time limit', async () => {
    const kms = await start()
    const signer = await open(kms.endpoint, { timeoutMs: 300, address })
    kms.behave(() => new Promise(() => undefined))
    const error = await failureOf(signNote(signer, { terms, domain }))
    expect([error.failure, error.message]).toEqual(['timeout', 'AWS KMS did not respond within 300 ms.'])
  })

  test.each<[string, (response: ServerResponse) => void]>([
    ['stalls', (response) => void response.write('{"Signature":')],
    ['comes byte by byte', (response) => void drip(response)],
  ])('error: a body that %s is given up at the time limit, with its connection', async (_, send) => {
    const kms = await start()
    const signer = await open(kms.endpoint, { timeoutMs: 300, address })
    const closed: Promise<unknown>[] = []
    kms.behave((_, response) => {
      closed.push(once(response, 'close'))
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
      send(response)
    })
    expect((await failureOf(signNote(signer, { terms, domain }))).failure).toBe('timeout')
    await Promise.all(closed)
    kms.behave(undefined)
    await expect(signNote(signer, { terms, domain })).resolves.toBeDefined()
  })

  test('error: a body that never ends is given up at once, with its connection', async () => {
    const kms = await start()
    const signer = await open(kms.endpoint, { address })
    const closed: Promise<unknown>[] = []
    kms.behave((_, response) => {
      closed.push(once(response, 'close'))
      response.writeHead(200, { 'content-type': 'application/x-amz-json-1.1' })
      pour(response)
    })
    const error = await failureOf(signNote(signer, { terms, domain }))
    expect([error.failure, error.message]).toEqual([
      'malformed',
      'AWS KMS sent a response that cannot be read (ResponseTooLarge).',
    ])
    await Promise.all(closed)
    kms.behave(undefined)
    await expect(signNote(signer, { terms, domain })).resolves.toBeDefined()
  })

  test('error: nobody listens there', async () => {
    const error = await failureOf(open('http://127.0.0.1:9'))
    expect([error.failure, error.message]).toEqual(['unreachable', 'AWS KMS cannot be reached (ECONNREFUSED).'])
  })

  test('error: another key signs', async () => {
    const kms = await start()
    const signer = await open(kms.endpoint)
    kms.behave(({ body }, response) => {
      const digest = Buffer.from(JSON.parse(body).Message, 'base64')
      answer(response, 200, { Signature: signDigest(`0x${'02'.repeat(32)}`, digest).toString('base64') })
    })
    expect((await failureOf(signNote(signer, { terms, domain }))).failure).toBe('wrong_key')
  })
})
