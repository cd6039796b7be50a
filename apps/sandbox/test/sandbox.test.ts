import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { decodeNote, notesResponseSchema, verifyNote } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { newDirectory, readCredentials, root, startSandbox } from './start-sandbox.ts'

async function get(url: string, { key, agent }: { key: string; agent: Agent }) {
  const outgoing = request(url, { headers: { 'x-api-key': key }, agent }).end()
  const [response] = await once(outgoing, 'response')
  const chunks: Buffer[] = []
  for await (const chunk of response) chunks.push(chunk)
  const dateSeconds = BigInt(Date.parse(response.headers.date) / 1000)
  return { status: response.statusCode as number, dateSeconds, body: Buffer.concat(chunks).toString() }
}

test('default: prints a curl line that works, leaves credentials, resumes, and nothing is left after Ctrl-C', {
  timeout: 180_000,
}, async () => {
  const dir = await newDirectory()
  const first = await startSandbox('--dir', dir)
  const line = /^ {2}(curl .*)$/m.exec(first.output())?.[1] as string
  const printed = execFileSync('sh', ['-c', `${line} --silent`], { encoding: 'utf8' })
  const { data } = notesResponseSchema.parse(JSON.parse(printed))
  const credentials = readCredentials(dir)
  const [chain] = credentials.chains
  expect(first.output()).toContain(`ready ${credentials.baseUrl}\n`)
  expect(credentials.baseUrl).toMatch(/^https:\/\/localhost:\d+$/)
  expect(existsSync(credentials.caCert)).toBe(true)
  const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: chain.pool }
  for (const wire of data) {
    expect(await verifyNote(decodeNote(wire), { domain, signer: chain.signer })).toMatchObject({ valid: true })
  }
  expect(data).toHaveLength(7)

  const beside = spawn('npm', ['start', '--silent', '--', '--port', '0', '--dir', dir], { cwd: root, stdio: 'pipe' })
  const complaint: string[] = []
  beside.stderr.on('data', (chunk) => complaint.push(String(chunk)))
  const [code] = await once(beside, 'close')
  expect([code, complaint.join('')]).toEqual([1, expect.stringContaining('is in use by process')])
  expect(readCredentials(dir)).toEqual(credentials)

  await first.stop()
  expect(() => process.kill(-(first.child.pid as number), 0)).toThrow('ESRCH')

  const second = await startSandbox('--dir', dir)
  const again = readCredentials(dir)
  expect([again.apiKey, again.chains[0].signer, again.caCert]).toEqual([
    credentials.apiKey,
    chain.signer,
    credentials.caCert,
  ])
  await second.stop()
})

describe('--at, five seconds before a boundary', () => {
  test.each([
    // These and six others run in the service's own tests, in process; here it is the whole of `npm start`.
    ['00:00', '2026-11-15T23:59:55-05:00'],
    ['18:00 on the autumn day', '2026-11-01T17:59:55-05:00'],
  ])(
    'behavior: %s: nothing but good notes under load, and the new ones from the first second on',
    { timeout: 180_000 },
    async (_, at) => {
      const dir = await newDirectory()
      const sandbox = await startSandbox('--dir', dir, '--positions', '1', '--at', at)
      const { baseUrl, apiKey, caCert } = readCredentials(dir)
      const agent = new Agent({ ca: readFileSync(caCert), keepAlive: true, maxSockets: 16 })
      const boundary = BigInt(Date.parse(at) / 1000) + 5n
      const counts = { before: 0, after: 0 }
      const client = async () => {
        const passedMs = () => Date.now() - sandbox.readyAt
        while (passedMs() < 6_500 || counts.after <= 8) {
          const sentAt = Date.parse(at) + passedMs()
          const { status, dateSeconds, body } = await get(`${baseUrl}/notes`, { key: apiKey, agent })
          expect(status).toBe(200)
          const receivedAt = Date.parse(at) + passedMs()
          // The clock runs on from the ready line, which we saw a moment after it was printed.
          expect(Number(dateSeconds) * 1000).toBeGreaterThan(sentAt - 2_000)
          expect(Number(dateSeconds) * 1000).toBeLessThan(receivedAt + 5_000)
          for (const wire of notesResponseSchema.parse(JSON.parse(body)).data) {
            const note = decodeNote(wire)
            expect(note.validAfter < dateSeconds && dateSeconds < note.validBefore).toBe(true)
            expect(note.validAfter === boundary - 1n).toBe(dateSeconds >= boundary)
          }
          counts[dateSeconds < boundary ? 'before' : 'after']++
        }
      }
      await Promise.all(Array.from({ length: 8 }, client))
      agent.destroy()
      await sandbox.stop()
      expect(counts.before).toBeGreaterThan(8)
      expect(counts.after).toBeGreaterThan(8)
    },
  )
})

test('behavior: a time before the last run begins a new history; --fresh forgets everything', {
  timeout: 180_000,
}, async () => {
  const dir = await newDirectory()
  const later = await startSandbox('--dir', dir, '--positions', '1', '--at', '2027-01-01T12:00:00Z')
  await later.stop()
  const earlier = await startSandbox('--dir', dir, '--positions', '1', '--at', '2026-06-01T12:00:00Z')
  expect(earlier.output()).toContain('beginning a new history')
  const { signer } = readCredentials(dir).chains[0]
  await earlier.stop()
  const fresh = await startSandbox('--dir', dir, '--positions', '1', '--fresh')
  expect(readCredentials(dir).chains[0].signer).not.toBe(signer)
  await fresh.stop()
})

test('behavior: --fresh starts on a directory that does not exist', { timeout: 120_000 }, async () => {
  const dir = await newDirectory()
  const sandbox = await startSandbox('--dir', dir, '--positions', '1', '--fresh')
  expect(readCredentials(dir).baseUrl).toMatch(/^https:/)
  expect(await sandbox.stop()).toBe(0)
})

test('error: --fresh neither deletes nor changes what no sandbox made, and bad options are told', {
  timeout: 120_000,
}, async () => {
  const dir = await newDirectory()
  mkdirSync(dir)
  writeFileSync(join(dir, 'precious.txt'), 'keep me')
  await expect(startSandbox('--dir', dir, '--fresh')).rejects.toThrow('was not made by the sandbox')
  expect(readdirSync(dir)).toEqual(['precious.txt'])
  expect(readFileSync(join(dir, 'precious.txt'), 'utf8')).toBe('keep me')
  rmSync(dir, { recursive: true })
  await expect(startSandbox('--dir', dir, '--at', '2026-11-01T18:00:00')).rejects.toThrow('with its offset')
  await expect(startSandbox('--dir', dir, '--at', 'yesterday')).rejects.toThrow('ISO 8601')
})
