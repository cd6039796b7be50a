// @module-tag server

import { createHmac } from 'node:crypto'
import { toSeconds } from '@tallystick/base'
import { openDatabase } from '@tallystick/database'
import { appendEvents } from '@tallystick/notify'
import { findFreePort } from '@tallystick/workbench/free-port'
import { beforeAll, describe, expect, test } from 'vitest'
import {
  coupons,
  createDeferrals,
  createKey,
  newDatabase,
  start,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { type Receiver, startReceiver } from '../../../packages/service/test/hook-receiver.ts'
import { prepareSite, type Site, serveHere, tallystick } from './process.ts'

const hooksConfig = { allowPrivate: ['127.0.0.1'] }
const points = Object.entries(coupons).map(([tenor, bps]) => `${tenor}=${bps}`)
const tokenInUrl = 't0ken-of-the-receiver'

describe('the command line', () => {
  const { defer, finish } = createDeferrals()
  let site: Site
  let databaseUrl: string
  let receiver: Receiver
  let url: string
  const printed: string[] = []
  const secrets: string[] = []

  beforeAll(async () => {
    databaseUrl = await newDatabase('postgres', defer)
    const admin = { port: await findFreePort(), token: 'env:ADMIN_TOKEN' }
    site = await prepareSite({ databaseUrl, config: { admin, hooks: hooksConfig } })
    receiver = await startReceiver({ tls: null }, defer)
    url = `http://127.0.0.1:${receiver.port}/hook?token=${tokenInUrl}`
    await tallystick(site, 'curve', 'set', ...points)
    return finish
  })

  /** Runs a command. All output is kept, except that of the commands that show a secret. */
  async function run(...commandLine: string[]) {
    const finished = await tallystick(site, ...commandLine)
    if (!['add', 'rotate'].includes(commandLine[1] as string)) printed.push(finished.stdout + finished.stderr)
    return finished
  }
  const json = async (...commandLine: string[]) => JSON.parse((await run(...commandLine, '--json')).stdout)

  async function exercise() {
    const added = await run('hooks', 'add', url, '--types', 'status', '--chain', '324')
    expect([added.exitCode, added.stderr]).toEqual([0, ''])
    expect(added.stdout).toMatch(
      /^Hook hook_\w{12} gets status of chain 324, from the next event on\.\n\n {2}whsec_[\w+/]{43}=\n\nIt is shown only once\./,
    )
    const [id = ''] = /hook_\w{12}/.exec(added.stdout) ?? []
    const [first = ''] = /whsec_\S+/.exec(added.stdout) ?? []
    const list = await run('hooks', 'list')
    expect(list.stdout).toMatch(/^ID +STATUS +TYPES +CHAIN +SECRETS +WAITING +LAST SUCCESS +URL\n/)
    expect(list.stdout).toContain(`${id}  active  status  324    1        0        never         ${url}\n`)

    const before = receiver.received.length
    const tested = await run('hooks', 'test', id)
    expect([tested.exitCode, tested.stdout]).toEqual([
      0,
      expect.stringMatching(/^Delivered to hook_\w+: status 204 after \d+ ms\.\n$/),
    ])
    const { headers, body } = receiver.received[before] as Receiver['received'][number]
    expect(JSON.parse(body)).toMatchObject({ type: 'test', data: { message: `This is a test of ${id}.` } })
    const content = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`
    const key = Buffer.from(first.slice(6), 'base64')
    expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', key).update(content).digest('base64')}`)
    expect((await run('hooks', 'deliveries', id)).stdout).toBe('Nothing was sent to this hook yet.\n')

    const rotated = await json('hooks', 'rotate', id, '--grace', '90s')
    expect(rotated).toMatchObject({ hook: { id, status: 'active' }, secret: expect.stringMatching(/^whsec_/) })
    expect((await json('hooks', 'list')).hooks.find((hook: { id: string }) => hook.id === id).secrets).toBe(2)
    secrets.push(first, rotated.secret)
    return id
  }

  test('default: hooks are added, listed, tested, rotated, enabled and removed without a server', async () => {
    const id = await exercise()
    expect((await run('hooks', 'enable', id)).stdout).toBe(
      `Hook ${id} is on. It continues with the first event that was not delivered.\n`,
    )
    expect((await run('hooks', 'remove', id)).stdout).toBe(
      `Hook ${id} is removed. A request in progress may still arrive.\n`,
    )
    const gone = await run('hooks', 'remove', id)
    expect([gone.exitCode, gone.stderr]).toEqual([
      1,
      `There is no hook "${id}". \`tallystick hooks list\` lists the hooks.\n`,
    ])
    expect((await run('hooks', 'list')).stdout).toMatch(/^No hooks yet\./)
  })

  test('default: the same through a server, which delivers; a failing hook is shown by list, deliveries and doctor', async () => {
    await serveHere(site, defer)
    const id = await exercise()
    const database = await openDatabase(databaseUrl)
    defer(() => database.close())
    const event = { type: 'status', chainId: 324, createdAt: toSeconds(Date.now()) } as const
    await appendEvents(database, [{ ...event, data: '{"n":1}' }])
    await expect.poll(async () => (await json('hooks', 'deliveries', id)).deliveries.length).toBeGreaterThan(0)
    expect((await json('hooks', 'deliveries', id)).deliveries.at(-1)).toMatchObject({
      ...{ type: 'status', chainId: '324', status: 'delivered', attempts: 1, responseStatus: 204, error: null },
      webhookId: expect.stringMatching(/^msg_\w+$/),
    })
    receiver.respond = (response) => response.writeHead(410, 'Gone', { 'x-text': 'receiver-text' }).end('receiver-text')
    await appendEvents(database, [{ ...event, data: '{"n":2}' }])
    await expect.poll(async () => (await run('hooks', 'list')).stdout).toContain(`${id} was switched off at `)
    const { stdout } = await run('hooks', 'deliveries', id, '--limit', '1')
    expect(stdout).toMatch(
      /^EVENT +TYPE +CHAIN +STATUS +ATTEMPTS +LAST ATTEMPT +RESPONSE +NEXT ATTEMPT +ERROR\n\d+ +status +324 +failed +1 +\S+ +410 in \d+ ms +status 410: the receiver wants no more webhooks\n$/,
    )
    const failed = await run('hooks', 'test', id)
    expect([failed.exitCode, failed.stdout]).toEqual([
      1,
      expect.stringMatching(/^NOT delivered to hook_\w+ \(after \d+ ms\): status 410: /),
    ])
    const [newest] = (await json('hooks', 'deliveries', id)).deliveries
    const delivery = await tallystick(site, 'hooks', 'delivery', id, newest.event)
    expect(delivery.stdout).toMatch(
      /^Event \d+ \(status of chain 324\) is failed\. webhook-id: msg_\w+\n\n\{"type":"status".*"n":2\}\}\n\nATTEMPT +RESPONSE +BY +ERROR\n/,
    )
    expect(delivery.stdout).toMatch(/Last response:\nx-text: receiver-text\n[\s\S]*\n\nreceiver-text\n$/)
    const again = await run('hooks', 'resend', id, newest.event)
    expect([again.exitCode, again.stdout]).toEqual([
      1,
      expect.stringMatching(/was NOT delivered to hook_\w+ \(after \d+ ms\): status 410/),
    ])
    receiver.respond = (response) => response.writeHead(204).end()
    expect(await json('hooks', 'resend', id, newest.event)).toMatchObject({ isDelivered: true, status: 204 })
    receiver.respond = (response) => response.writeHead(410, 'Gone').end()
    await appendEvents(database, [{ ...event, data: '{"n":3}' }])
    expect((await run('hooks', 'resend', id, '--failed')).stdout).toContain(`Hook ${id} is on.`)
    await expect.poll(async () => (await run('hooks', 'list')).stdout).toContain(`${id} was switched off at `)
    const doctor = await run('doctor')
    expect(doctor.stdout).toMatch(
      new RegExp(
        `WARN +webhooks +${id} +switched off at \\S+: the receiver responded with 410 Gone; events waiting: \\d+`,
      ),
    )
  })

  test.each([
    [
      ['hooks', 'add', 'https://10.0.0.5/x', '--types', 'notes'],
      /url: 10\.0\.0\.5 is a private address; .* hooks\.allowPrivate/,
    ],
    [['hooks', 'add', 'https://a.example/', '--types', 'notes,coins'], /types\.1: Invalid option/],
    [
      ['hooks', 'add', 'https://a.example/', '--types', 'notes', '--chain', '1'],
      /chainId: must be one of the configured chains: 324/,
    ],
    [['hooks', 'test', 'hook_000000000000'], /There is no hook "hook_000000000000"/],
    [['hooks', 'rotate', 'a/../b%00\0'], /There is no hook /],
    [['hooks', 'deliveries', 'hook_'], /There is no hook "hook_"/],
    [['hooks', 'delivery', 'hook_', '1'], /There is no hook "hook_"/],
    [['hooks', 'resend', 'hook_000000000000', '../1'], /There is no hook /],
  ])('error: %j is refused and changes nothing', async (commandLine, message) => {
    const count = (await json('hooks', 'list')).hooks.length
    const { exitCode, stderr } = await tallystick(site, ...commandLine)
    expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)])
    expect((await json('hooks', 'list')).hooks.length).toBe(count)
  })

  test.each([
    [['hooks', 'add', 'https://a.example/']],
    [['hooks', 'add', '--types', 'notes']],
    [['hooks', 'add', 'https://a.example/', '--types', 'notes,']],
    [['hooks', 'deliveries', 'hook_000000000000', '--limit', '201']],
    [['hooks', 'rotate', 'hook_000000000000', '--grace', 'soon']],
    [['hooks', 'resend', 'hook_000000000000']],
    [['hooks', 'resend', 'hook_000000000000', '1', '--failed']],
  ])('error: %j is wrong usage', async (commandLine) => {
    expect((await tallystick(site, ...commandLine)).exitCode).toBe(2)
  })

  test.each(['add', 'list', 'test', 'rotate', 'enable', 'remove', 'deliveries', 'delivery', 'resend'])(
    'default: hooks %s has --help',
    async (name) => {
      const { exitCode, stdout } = await tallystick(site, 'hooks', name, '--help')
      expect([exitCode, stdout]).toEqual([0, expect.stringContaining('--json')])
    },
  )

  test('behavior: secrets are printed by add and rotate only, the URL by list only, text of a receiver by delivery only', async () => {
    printed.push((await tallystick(site, 'audit', '--limit', '100')).stdout)
    expect(secrets.length).toBeGreaterThan(3)
    expect(printed.length).toBeGreaterThan(15)
    expect(printed.join('\n')).toContain('gave the webhook of 127.0.0.1')
    for (const text of printed) {
      for (const secret of secrets) expect(text).not.toContain(secret.slice('whsec_'.length))
      expect(text).not.toContain('receiver-text')
      const mayShowUrl = text.startsWith('ID ') || text.startsWith('{')
      if (!mayShowUrl) expect(text).not.toContain(tokenInUrl)
    }
  })
})

describe('the admin listener', () => {
  let service: TestService
  beforeAll(async () => {
    const { defer, finish } = createDeferrals()
    const setting = { databaseUrl: await newDatabase('pglite', defer), at: '2026-11-15T12:00:00-05:00' }
    service = await start({ ...setting, config: { hooks: hooksConfig } }, defer)
    return finish
  })
  const post = (path: string, body: unknown) =>
    service.admin(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
  const good = { url: 'https://receiver.example/hook', types: ['notes'] }

  test.each([
    ['null', null],
    ['a list', []],
    ['broken JSON', '{'],
    ['no members', {}],
    ['no types', { ...good, types: [] }],
    ['types of another kind', { ...good, types: 'notes' }],
    ['an unknown member', { ...good, secret: 'whsec_mine' }],
    ['an unknown chain', { ...good, chainId: 1 }],
    ['a chain as text', { ...good, chainId: '324' }],
    ['a URL of another kind', { ...good, url: ['https://receiver.example/'] }],
    ['a NUL in the host', { ...good, url: 'https://receiver\0.example/' }],
    ['a private address', { ...good, url: 'https://0x0a000005/t0ken' }],
    ['a public address without TLS', { ...good, url: 'http://1.1.1.1/t0ken' }],
    ['a huge URL', { ...good, url: `https://receiver.example/${'t0ken'.repeat(1_000)}` }],
  ])('error: %s is 400, changes nothing and is not quoted', async (_, body) => {
    const answer = await post('/hooks', body)
    expect(answer.status).toBe(400)
    expect(answer.body).not.toContain('t0ken')
    expect((await service.admin('/hooks')).json()).toEqual({ hooks: [] })
  })

  test('behavior: repeated types count once, and hooks of every chain are possible', async () => {
    const { hook, secret } = (await post('/hooks', { ...good, types: ['notes', 'rate', 'notes'] })).json()
    expect(hook).toEqual({
      ...{ id: expect.stringMatching(/^hook_[0-9a-f]{12}$/), url: good.url, types: ['notes', 'rate'], chainId: null },
      ...{ status: 'active', createdAt: '2026-11-15T17:00:00Z', lastSuccessAt: null, attempts: 0, failingSince: null },
      ...{ nextAttemptAt: null, lastError: null, disabledAt: null, disabledReason: null },
    })
    expect(Buffer.from(secret.slice('whsec_'.length), 'base64')).toHaveLength(32)
    for (const [path, body] of [
      ['rotate', { graceSeconds: -1 }],
      ['rotate', { graceSeconds: 30 * 86_400 + 1 }],
      ['rotate', { grace: '24h' }],
    ] as const) {
      expect((await post(`/hooks/${hook.id}/${path}`, body)).status).toBe(400)
    }
    for (const limit of ['0', '201', 'x', '1.5', '']) {
      expect((await service.admin(`/hooks/${hook.id}/deliveries?limit=${limit}`)).status).toBe(400)
    }
    expect((await service.admin(`/hooks/${hook.id}/deliveries`)).json()).toEqual({ deliveries: [] })
    expect((await service.admin('/hooks/%00/deliveries')).status).toBe(404)
    const { findings } = (await service.admin('/readyz')).json()
    expect(findings).toContainEqual({ subject: 'webhooks', severity: 'ok', message: 'no failures' })
    const written = service.log() + (await service.admin('/audit')).body
    expect(written).toContain('"host":"receiver.example"')
    for (const hidden of [secret, '/hook"']) expect(written).not.toContain(hidden)
  })

  test('behavior: a hook gets the new set at its first second, and not before', async () => {
    const receiver = await startReceiver({ tls: null })
    const url = `http://127.0.0.1:${receiver.port}/hook`
    expect((await post('/hooks', { url, types: ['notes'], chainId: 324 })).status).toBe(200)
    const { secret } = await createKey(service)
    const boundaryMs = Date.parse('2026-11-15T18:00:00-05:00')
    service.clock.hold(boundaryMs - 1)
    // The next set is in the database and in memory by now.
    const nextIsSigned = async () =>
      (await service.admin('/metrics')).body.includes('tallystick_next_period_signed{chain="324"} 1')
    await expect.poll(nextIsSigned).toBe(true)
    expect(receiver.received).toEqual([])
    service.clock.hold(boundaryMs)
    await expect.poll(() => receiver.received.length).toBe(1)
    const { headers, body } = receiver.received[0] as Receiver['received'][number]
    const notes = await service.call('/notes?chainid=324', { headers: { 'x-api-key': secret } })
    expect(JSON.parse(body)).toEqual({ type: 'notes', timestamp: '2026-11-15T23:00:00.000Z', data: notes.json() })
    expect(headers['webhook-timestamp']).toBe(String(boundaryMs / 1000))
  })
})
