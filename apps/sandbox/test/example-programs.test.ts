// @module-tag slow

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Credentials, readCredentials, root } from '../../../test/set-up/start-sandbox.ts'
import { findSharedSandbox } from './find-shared-sandbox.ts'

const run = promisify(execFile)

/** Returns why a language is not tested, or undefined if it is there. */
async function findMissing(program: string, parameters: readonly string[]): Promise<string | undefined> {
  return run(program, [...parameters]).then(
    () => undefined,
    () => `there is no ${program} here`,
  )
}

const missing = {
  python: await findMissing('python3', ['-c', 'import sys; sys.exit(sys.version_info < (3, 9))']),
  go: await findMissing('go', ['version']),
}
const folder = join(root, 'examples')
const vector = JSON.parse(readFileSync(join(root, 'packages/core/vectors/note.json'), 'utf8'))
let credentials: Credentials
let directory: string
let environment: NodeJS.ProcessEnv

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'tallystick-programs-'))
  credentials = readCredentials(await findSharedSandbox())
  environment = {
    ...{
      PATH: process.env['PATH'],
      HOME: directory,
      GOFLAGS: '-mod=mod',
      GOPROXY: 'off',
      PYTHONDONTWRITEBYTECODE: '1',
    },
    ...{ TALLYSTICK_URL: credentials.baseUrl, TALLYSTICK_KEY: credentials.apiKey, SSL_CERT_FILE: credentials.caCert },
  }
  return () => rm(directory, { recursive: true, force: true })
})

/** Builds the Go programs, each as a file of its folder's name. */
async function buildGo(): Promise<void> {
  const options = { cwd: join(folder, 'go'), env: environment }
  expect((await run('gofmt', ['-l', '.'], options)).stdout).toBe('')
  await run('go', ['vet', './...'], options)
  await run('go', ['build', '-o', `${directory}/`, './...'], options)
}

const languages = [
  {
    name: 'Python',
    reason: missing.python,
    programOf: (name: string) => ['python3', join(folder, 'python', `${name}.py`)],
  },
  { name: 'Go', reason: missing.go, programOf: (name: string) => [join(directory, name)] },
] as const

describe.each(languages)('examples in $name', ({ name, reason, programOf }) => {
  beforeAll(async () => {
    if (name === 'Go' && reason === undefined) await buildGo()
  })

  test('verify-note: every current note is genuine', async ({ skip }) => {
    if (reason !== undefined) skip(reason)
    const [program = '', ...parameters] = programOf('verify-note')
    const { stdout } = await run(program, parameters, { env: environment })
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeGreaterThan(1)
    for (const line of lines) expect(line).toMatch(/^chain 324, maturity \d+: genuine$/)
  })

  test('receive-webhooks: an event of the service is processed once, everything else is refused', async ({ skip }) => {
    if (reason !== undefined) skip(reason)
    const port = await findFreePort()
    const url = `http://127.0.0.1:${port}/hooks`
    const { hook, secret } = await operate<{ hook: { id: string }; secret: string }>('POST', '/hooks', {
      url,
      types: ['status'],
    })
    const receiver = await startReceiver(programOf('receive-webhooks'), { PORT: String(port), WEBHOOK_SECRET: secret })
    try {
      expect(await operate('POST', `/hooks/${hook.id}/test`)).toMatchObject({ isDelivered: true, status: 204 })
      expect(receiver.output()).toBe(`listening on ${port}\ntest This is a test of ${hook.id}.\n`)
      await sendForgeries(url, secret)
      expect(receiver.output().split('\n').slice(2)).toEqual(['status paused', ''])
    } finally {
      await receiver.stop()
      await operate('POST', `/hooks/${hook.id}/remove`)
    }
  })
})

test('examples/python/verify-note.py: the published vector is genuine, and nothing that differs from it', async ({
  skip,
}) => {
  if (missing.python !== undefined) skip(missing.python)
  const { r, s, v } = vector.signature
  const note = {
    ...{ chainid: '324', maturity_timestamp: vector.message.maturityTimestamp, coupon: vector.message.coupon },
    ...{ signature_valid_after: vector.message.validAfter, signature_valid_before: vector.message.validBefore },
    signature: { r, s, v },
  }
  const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
  const hex = (value: bigint) => `0x${value.toString(16).padStart(64, '0')}`
  const others = [
    { ...note, coupon: '402' },
    { ...note, chainid: '1' },
    { ...note, signature: { r, s, v: 27 } },
    { ...note, signature: { r, s, v: 1 } },
    { ...note, signature: { r, s: hex(order - BigInt(s)), v: 27 } },
    { ...note, signature: { r: hex(0n), s, v } },
    { ...note, signature: { r, s: hex(0n), v } },
    { ...note, signature: { r: hex(order - 1n), s, v } },
  ]
  const program = `import importlib.util, json, sys
spec = importlib.util.spec_from_file_location("example", sys.argv[1])
example = importlib.util.module_from_spec(spec)
spec.loader.exec_module(example)
pool, notes = json.load(sys.stdin)
hashes = [example.keccak256(bytes(n)).hex() for n in (0, 135, 136, 137, 300)]
print(json.dumps([example.hash_note(notes[0], pool).hex(), hashes, [example.signer_of(note, pool) for note in notes]]))`
  const { keccak256, toHex } = await import('viem')
  const child = run('python3', ['-c', program, join(folder, 'python/verify-note.py')], { env: environment })
  child.child.stdin?.end(JSON.stringify([vector.domain.verifyingContract, [note, ...others]]))
  const [digest, hashes, [signer, ...rest]] = JSON.parse((await child).stdout)
  expect(`0x${digest}`).toBe(vector.digest)
  expect(hashes).toEqual([0, 135, 136, 137, 300].map((size) => keccak256(toHex(new Uint8Array(size))).slice(2)))
  expect(signer).toBe(vector.signer.toLowerCase())
  expect(rest).toHaveLength(others.length)
  expect(rest).not.toContain(signer)
  // Wrong v, an s in the upper half, and zeros.
  expect(rest.slice(3, 7)).toEqual([null, null, null, null])
})

test('examples/ci.sh: runs a command against a sandbox, ends with its status and stops the sandbox', async () => {
  const script = `curl -sSf "$TALLYSTICK_URL/notes" -H "x-api-key: $TALLYSTICK_KEY" >/dev/null
node -e 'fetch(process.env.RPC_URL, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] }) }).then((r) => r.json()).then(({ result }) => console.log(result, process.env.TALLYSTICK_URL))'
exit 7`
  const env = { ...process.env, POSITIONS: '0', TMPDIR: directory }
  const outcome = await run('sh', [join(folder, 'ci.sh'), 'sh', '-c', script], { env }).catch((error) => error)
  expect([outcome.code, outcome.stderr]).toEqual([7, ''])
  const [, chainId, url] = /^(0x144) (https:\S+)\n$/.exec(outcome.stdout) ?? []
  expect(chainId).toBe('0x144')
  await expect(fetch(String(url))).rejects.toThrow('fetch failed')
})

/** Sends requests that must be refused, and a genuine one twice. */
async function sendForgeries(url: string, secret: string): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const body = JSON.stringify({ type: 'status', timestamp: new Date().toISOString(), data: { message: 'paused' } })
  const sign = (timestamp: number, text: string, id = 'msg_1') => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${text}`).digest('base64')
    return { 'webhook-id': id, 'webhook-timestamp': String(timestamp), 'webhook-signature': `v1,AAAA v1,${signature}` }
  }
  const genuine = sign(now, body)
  const send = async (headers: Record<string, string>, text: string) =>
    (await fetch(url, { method: 'POST', headers, body: text })).status
  expect(await send({}, body)).toBe(400)
  expect(await send(genuine, `${body} `)).toBe(400)
  expect(await send({ ...genuine, 'webhook-id': 'msg_2' }, body)).toBe(400)
  expect(await send({ ...genuine, 'webhook-timestamp': 'x' }, body)).toBe(400)
  expect(await send({ ...genuine, 'webhook-signature': '' }, body)).toBe(400)
  expect(await send(sign(now - 301, body), body)).toBe(400)
  expect(await send(sign(now + 310, body), body)).toBe(400)
  expect(await announceBody(url, { ...genuine, 'content-length': String(1024 * 1024 + 1) })).toBe(413)
  expect(await announceBody(url, { ...genuine, 'transfer-encoding': 'chunked' })).toBe(413)
  expect(await send(genuine, body)).toBe(204)
  expect(await send(genuine, body)).toBe(204)
}

/** Sends the headers of a request, and nothing of its body. Returns the status of the response. */
async function announceBody(url: string, headers: Record<string, string>): Promise<number | undefined> {
  const sent = request(url, { method: 'POST', headers })
  sent.flushHeaders()
  const [response] = (await once(sent, 'response')) as [IncomingMessage]
  sent.destroy()
  return response.statusCode
}

async function startReceiver(command: readonly string[], env: Record<string, string>) {
  const [program = '', ...parameters] = command
  const child: ChildProcess = spawn(program, parameters, { env: { ...environment, ...env } })
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => chunks.push(String(chunk)))
  const output = () => chunks.join('')
  await expect.poll(output).toMatch(/^listening on \d+\n/)
  const stop = async () => {
    const closed = once(child, 'close')
    child.kill()
    await closed
  }
  return { output, stop }
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** Sends a request to the admin listener. */
async function operate<Answer>(method: string, path: string, body?: object): Promise<Answer> {
  const { adminUrl, adminToken } = credentials
  const headers = { authorization: `Bearer ${adminToken}`, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(adminUrl + path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${path}: ${text}`)
  return (text === '' ? undefined : JSON.parse(text)) as Answer
}
