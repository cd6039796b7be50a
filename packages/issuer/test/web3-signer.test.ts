import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inspect } from 'node:util'
import { hashNote, type Note, type NoteDomain } from '@tallystick/core'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { type LocalServer, startLocalServer } from '@tallystick/workbench/start-local-server'
import { type Hex, toHex, verifyTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, describe, expect, test } from 'vitest'
import { signNote } from '../src/signers/sign-note.ts'
import { SignerError, timeoutMsDefault } from '../src/signers/signer.ts'
import { createWeb3Signer, type Web3SignerOptions } from '../src/signers/web3-signer.ts'

const vector = JSON.parse(readFileSync(new URL('../../core/vectors/note.json', import.meta.url), 'utf8'))
const domain: NoteDomain = {
  name: vector.domain.name,
  version: vector.domain.version,
  verifyingContract: vector.domain.verifyingContract,
}
const terms: Omit<Note, 'signature'> = {
  chainId: vector.domain.chainId,
  maturityTimestamp: BigInt(vector.message.maturityTimestamp),
  coupon: BigInt(vector.message.coupon),
  startedAt: 1737522000n,
  validAfter: BigInt(vector.message.validAfter),
  validBefore: BigInt(vector.message.validBefore),
}
const address = vector.signer
const r: string = vector.signature.r.slice(2)
const s: string = vector.signature.s.slice(2)
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
const highS = toHex(order - BigInt(`0x${s}`), { size: 32 }).slice(2)

type Seen = { readonly method: string; readonly type: string | undefined; readonly body: string }
type Behavior = (response: ServerResponse, seen: Seen) => unknown

const servers: LocalServer[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) await server.stop()
})

/** A Web3Signer of our own making on a real port, and what it was asked. */
async function startSigner(behave: Behavior): Promise<{ url: string; requests: Seen[] }> {
  const requests: Seen[] = []
  const server = await startLocalServer(async (request, response) => {
    const seen = await read(request)
    requests.push(seen)
    await behave(response, seen)
  })
  servers.push(server)
  return { url: `${server.url}/`, requests }
}

async function read(request: IncomingMessage): Promise<Seen> {
  const body = await text(request)
  return { method: request.method ?? '', type: request.headers['content-type'], body }
}

/** What a signer of this key answers: it knows nothing of notes and signs the typed data it is given. */
function signingWith(privateKey: Hex): Behavior {
  return async (response, { body }) => {
    const { id, params } = JSON.parse(body)
    const result = await privateKeyToAccount(privateKey).signTypedData(params[1])
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  }
}

const result =
  (value: unknown): Behavior =>
  (response) =>
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: value }))

async function failureOf(url: string, timeoutMs?: number): Promise<SignerError> {
  const error = await signNote(createWeb3Signer({ url, address, timeoutMs }), { terms, domain }).catch((error) => error)
  expect(error).toBeInstanceOf(SignerError)
  expect(error).toMatchObject({ code: 'signer_failed', retryable: true, details: { failure: error.failure } })
  return error
}

describe('a working signer', () => {
  test('default: signs the published note to the published bytes', async () => {
    const { url } = await startSigner(signingWith(vector.privateKey))
    const note = await signNote(createWeb3Signer({ url, address }), { terms, domain })
    expect(note).toEqual({ ...terms, signature: vector.signature })
  })

  test('default: receives eth_signTypedData with the complete EIP-712 payload', async () => {
    const { url, requests } = await startSigner(signingWith(vector.privateKey))
    await signNote(createWeb3Signer({ url, address }), { terms, domain })
    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatchObject({ method: 'POST', type: 'application/json' })
    expect(JSON.parse(requests[0]!.body)).toEqual({
      jsonrpc: '2.0',
      id: 1,
      method: 'eth_signTypedData',
      params: [
        address,
        {
          types: {
            EIP712Domain: [
              { name: 'name', type: 'string' },
              { name: 'version', type: 'string' },
              { name: 'chainId', type: 'uint256' },
              { name: 'verifyingContract', type: 'address' },
            ],
            PriceFeed: [
              { name: 'maturityTimestamp', type: 'uint128' },
              { name: 'coupon', type: 'uint256' },
              { name: 'validAfter', type: 'uint128' },
              { name: 'validBefore', type: 'uint128' },
            ],
          },
          primaryType: 'PriceFeed',
          domain: { ...domain, chainId: 324 },
          message: vector.message,
        },
      ],
    })
  })

  test('behavior: integers above 2^53 are sent exactly', async () => {
    const { url, requests } = await startSigner(signingWith(vector.privateKey))
    const wide = { ...terms, coupon: 2n ** 256n - 1n, maturityTimestamp: 2n ** 128n - 1n }
    const note = await signNote(createWeb3Signer({ url, address }), { terms: wide, domain })
    const [, typedData] = JSON.parse(requests[0]!.body).params
    expect(typedData.message.coupon).toBe((2n ** 256n - 1n).toString())
    const signature = `${note.signature.r}${note.signature.s.slice(2)}${note.signature.v.toString(16)}` as Hex
    expect(await verifyTypedData({ ...typedData, address, signature })).toBe(true)
  })

  test('behavior: 100 concurrent notes each get their own signature', async () => {
    const { url } = await startSigner(signingWith(vector.privateKey))
    const signer = createWeb3Signer({ url, address, timeoutMs: 60_000 })
    const notes = await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        signNote(signer, { terms: { ...terms, coupon: BigInt(index + 1) }, domain }),
      ),
    )
    expect(notes.map(({ coupon }) => coupon)).toEqual(Array.from({ length: 100 }, (_, index) => BigInt(index + 1)))
    expect(new Set(notes.map(({ signature }) => signature.r)).size).toBe(100)
  })
})

describe('a signer that misbehaves', () => {
  test('error: signs with another key', async () => {
    const { url } = await startSigner(signingWith(`0x${'02'.repeat(32)}`))
    const error = await failureOf(url)
    expect(error.failure).toBe('wrong_key')
    expect(error.message).toMatchInlineSnapshot(
      `"The web3signer signer returned a signature by another key: signed by 0x5050A4F4b3f9338C3472dcC01A87C76A144b3c9c, not by 0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1. Nothing was published. Check the signer's key."`,
    )
  })

  test('error: signs the digest with the prefix of personal messages, as Web3Signer before 25.9', async () => {
    const account = privateKeyToAccount(vector.privateKey)
    const signature = await account.signMessage({ message: { raw: hashNote(terms, domain) } })
    const { url } = await startSigner(result(signature))
    expect((await failureOf(url)).failure).toBe('wrong_key')
  })

  test('error: answers with the signature of another note', async () => {
    const { url } = await startSigner(async (response, seen) => {
      const request = JSON.parse(seen.body)
      request.params[1].message.coupon = '402'
      await signingWith(vector.privateKey)(response, { ...seen, body: JSON.stringify(request) })
    })
    expect((await failureOf(url)).failure).toBe('wrong_key')
  })

  test.each([
    ['the high s', `0x${r}${highS}1b`],
    ['v 0', `0x${r}${s}00`],
    ['v 1', `0x${r}${s}01`],
    ['64 bytes', `0x${r}${s}`],
    ['an empty text', ''],
    ['garbage', 'no'],
    ['null', null],
    ['a number', 27],
    ['an object', { r, s, v: 28 }],
    ['a list', [`0x${r}${s}1c`]],
  ])('error: a result that is %s is malformed', async (_, value) => {
    const { url } = await startSigner(result(value))
    expect((await failureOf(url)).failure).toBe('malformed')
  })

  test.each([
    ['garbage text', 'hello'],
    ['HTML', '<!doctype html><title>It works!</title>'],
    ['nothing', ''],
    ['half a document', '{"jsonrpc":"2.0","id":1,"result":"0x'],
    ['a JSON text', JSON.stringify(`0x${r}${s}1c`)],
    ['null', 'null'],
    ['an empty list', '[]'],
    ['an empty object', '{}'],
  ])('error: a body that is %s is malformed, and is not repeated', async (_, body) => {
    const { url } = await startSigner((response) => response.end(body))
    const error = await failureOf(url)
    expect(error.failure).toBe('malformed')
    expect(error.message).toBe('Web3Signer’s response is not a JSON-RPC result.')
  })

  test('error: an HTML page of a proxy with status 502 is malformed', async () => {
    const { url } = await startSigner((response) => response.writeHead(502).end('<h1>Bad Gateway</h1>'))
    expect((await failureOf(url)).failure).toBe('malformed')
  })

  test('error: a JSON-RPC error is a refusal; the message has its code, not its text', async () => {
    const { url } = await startSigner((response) =>
      response.end('{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"unlock /var/keys/secret.toml"}}'),
    )
    const error = await failureOf(url)
    expect(error.failure).toBe('refused')
    expect(error.message).toMatchInlineSnapshot(
      `"Web3Signer refused to sign (code -32000). Check that it holds the key of the configured address."`,
    )
    expect(inspect(error, { depth: null })).not.toContain('secret.toml')
  })

  test('error: a JSON-RPC error with status 500 is a refusal too', async () => {
    const { url } = await startSigner((response) =>
      response.writeHead(500).end('{"jsonrpc":"2.0","id":1,"error":{"code":-32603}}'),
    )
    expect((await failureOf(url)).failure).toBe('refused')
  })

  test('behavior: an answer of 65536 bytes is read', async () => {
    const { url } = await startSigner(async (response) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${r}${s}1c` })
      response.end(body.padEnd(65_536, ' '))
    })
    const note = await signNote(createWeb3Signer({ url, address }), { terms, domain })
    expect(note.signature).toEqual(vector.signature)
  })

  test('error: a response of 65537 bytes is rejected', async () => {
    const { url } = await startSigner((response) => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: 1, result: `0x${r}${s}1c` })
      response.end(body.padEnd(65_537, ' '))
    })
    const error = await failureOf(url)
    expect(error.failure).toBe('malformed')
    expect(error.message).toMatchInlineSnapshot(`"Web3Signer sent more than 65536 bytes."`)
  })

  test('error: an endless response is aborted', async () => {
    let cut: Promise<unknown> | undefined
    const { url } = await startSigner((response) => {
      cut = once(response, 'close')
      const more = () => {
        while (response.write('x'.repeat(65_536)));
      }
      response.on('drain', more)
      more()
    })
    expect((await failureOf(url)).failure).toBe('malformed')
    await cut
  })

  test('error: a redirect is not followed, and its target gets no request', async () => {
    const target = await startSigner(signingWith(vector.privateKey))
    const { url } = await startSigner((response) => response.writeHead(307, { location: target.url }).end())
    expect((await failureOf(url)).failure).toBe('unreachable')
    expect(target.requests).toEqual([])
  })

  test('error: a connection that is reset', async () => {
    const { url } = await startSigner((response) => response.socket?.resetAndDestroy())
    const error = await failureOf(url)
    expect(error.failure).toBe('unreachable')
    expect(error.message).toMatch(/^Web3Signer cannot be reached \((ECONNRESET|UND_ERR_SOCKET)\)\.$/)
  })

  test('error: a connection that closes during the response', async () => {
    const { url } = await startSigner((response) => {
      response.writeHead(200, { 'content-length': '200' })
      response.write('{"jsonrpc":', () => response.socket?.destroy())
    })
    expect((await failureOf(url)).failure).toBe('unreachable')
  })

  test('error: nothing listens', async () => {
    const { url } = await startSigner(() => undefined)
    await servers.pop()?.stop()
    const error = await failureOf(url)
    expect(error.failure).toBe('unreachable')
    expect(error.message).toMatchInlineSnapshot(`"Web3Signer cannot be reached (ECONNREFUSED)."`)
  })

  test('error: neither silence nor an answer that stops half-way holds a note up for longer than the time limit', async () => {
    expect(timeoutMsDefault).toBe(5_000)
    const silent = await startSigner(() => undefined)
    const halting = await startSigner((response) => {
      response.write('{"jsonrpc":')
    })
    const started = performance.now()
    const errors = await Promise.all([failureOf(silent.url, 300), failureOf(halting.url, 300)])
    expect(performance.now() - started).toBeGreaterThanOrEqual(290)
    expect(errors.map(({ failure }) => failure)).toEqual(['timeout', 'timeout'])
    expect(errors[0]?.message).toMatchInlineSnapshot(`"Web3Signer did not respond within 300 ms."`)
  })
})

describe('a signer behind TLS', () => {
  const authority = createCertificateAuthority()
  const client = authority.issue(['tallystick'], { usage: 'client' })
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-web3signer-'))
  const write = (name: string, text: string) => {
    writeFileSync(join(directory, name), text)
    return join(directory, name)
  }
  afterAll(() => rmSync(directory, { recursive: true, force: true }))
  const files = {
    ca: write('ca.pem', authority.cert),
    cert: write('c.pem', client.cert),
    key: write('k.pem', client.key),
  }
  const token = 'a-token-nobody-should-see'
  const headers = { authorization: { reveal: () => `Bearer ${token}` } }

  /** Takes only clients of the authority that send the header. */
  async function startTlsSigner(server = authority.issue(['127.0.0.1'])): Promise<string> {
    const tls = { ...server, ca: authority.cert, requestCert: true, rejectUnauthorized: true }
    const listener = await startLocalServer(
      async (request, response) => {
        const seen = await read(request)
        if (request.headers.authorization !== `Bearer ${token}`) response.writeHead(401).end('{}')
        else await signingWith(vector.privateKey)(response, seen)
      },
      { tls },
    )
    servers.push(listener)
    return `${listener.url}/`
  }

  const failing = async (options: Partial<Web3SignerOptions>) => {
    const url = options.url ?? (await startTlsSigner())
    const signer = createWeb3Signer({ address, tls: files, headers, ...options, url })
    const error = await signNote(signer, { terms, domain }).catch((error) => error)
    expect(error).toBeInstanceOf(SignerError)
    expect(inspect(error, { depth: null })).not.toContain(token)
    return [error.failure, error.message]
  }

  test('default: receives the client certificate and the headers', async () => {
    const signer = createWeb3Signer({ url: await startTlsSigner(), address, tls: files, headers })
    const notes = await Promise.all([1, 2, 3].map(() => signNote(signer, { terms, domain })))
    for (const note of notes) expect(note.signature).toEqual(vector.signature)
  })

  test('error: rejects a client without a certificate', async () => {
    const [failure, message] = await failing({ tls: { ca: files.ca } })
    expect(failure).toBe('unreachable')
    expect(message).toMatch(/^Web3Signer cannot be reached \((ERR_SSL_|ECONNRESET|EPIPE)/)
  })

  test('error: has a certificate of another authority', async () => {
    const other = write('other.pem', createCertificateAuthority().cert)
    const unreachable = /^Web3Signer cannot be reached \((UNABLE_TO_|SELF_SIGNED_|CERT_)/
    expect(await failing({ tls: { ...files, ca: other } })).toEqual(['unreachable', expect.stringMatching(unreachable)])
    // Node's own authorities are asked where none is configured.
    const { cert, key } = files
    expect(await failing({ tls: { cert, key } })).toEqual(['unreachable', expect.stringMatching(unreachable)])
  })

  test('error: has an expired certificate, or one for another name', async () => {
    const past = createCertificateAuthority(new Date(Date.now() - 1_000 * 86_400_000))
    const expired = await startTlsSigner(past.issue(['127.0.0.1']))
    const ca = write('past.pem', past.cert)
    expect((await failing({ url: expired, tls: { ...files, ca } }))[1]).toContain('CERT_HAS_EXPIRED')
    const misnamed = await startTlsSigner(authority.issue(['signer.example']))
    expect((await failing({ url: misnamed }))[1]).toContain('ERR_TLS_CERT_ALTNAME_INVALID')
  })

  test('error: receives no header, or a wrong one', async () => {
    const refused = [
      'refused',
      'Web3Signer, or a proxy in front of it, responded with status 401. Check signer.headers and signer.tls.',
    ]
    expect(await failing({ headers: undefined })).toEqual(refused)
    expect(await failing({ headers: { authorization: { reveal: () => 'Bearer other' } } })).toEqual(refused)
  })

  test('error: an unreadable file is named', async () => {
    const cert = join(directory, 'gone.pem')
    expect(await failing({ tls: { ...files, cert } })).toEqual([
      'unreachable',
      `${cert} (signer.tls) cannot be read (ENOENT).`,
    ])
  })
})
