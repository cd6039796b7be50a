// @module-tag slow

import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createTime } from '@tallystick/base'
import { createOperator, loadConfig, openServiceDatabase, parseConfig, startService } from '@tallystick/service'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { shortRunFlags } from '@tallystick/workbench/short-run-flags'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import pino from 'pino'
import { runDoctor } from 'tallystick'
import type { Address } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, inject, onTestFinished, test } from 'vitest'
import { root } from '../../../test/set-up/start-sandbox.ts'
import { minterRole } from '../src/protocol/deploy-protocol.ts'
import { type Chain, noteSigner, send, startChain } from './chain.ts'
import { findSharedSandbox } from './find-shared-sandbox.ts'
import { refuseOverrides, startRpcProxy } from './rpc-proxy.ts'

type Findings = Awaited<ReturnType<typeof runDoctor>>['findings']
type Diagnosis = { readonly exitCode: number | null; readonly findings: Findings }

const cli = join(root, 'apps/tallystick/bin/tallystick.js')
const nobody = '0x000000000000000000000000000000000000dEaD'

/** `tallystick doctor` as an operator runs it. */
async function doctor(configPath: string, env: Record<string, string> = {}): Promise<Diagnosis> {
  const commandLine = [...shortRunFlags, cli, 'doctor', '--json', '--config', configPath]
  const child: ChildProcess = spawn(process.execPath, commandLine, { env: { PATH: process.env['PATH'], ...env } })
  const chunks: string[] = []
  child.stdout?.on('data', (chunk) => chunks.push(String(chunk)))
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return { exitCode, findings: JSON.parse(chunks.join('')).findings }
}

const linesOf = ({ findings }: Diagnosis, severity: string) =>
  findings
    .filter((finding) => finding.severity === severity)
    .map(({ subject, name, message }) => `${subject}: ${name}: ${message}`)

// The sandbox starts during the other tests.
let sandbox: Promise<string>
beforeAll(() => {
  sandbox = findSharedSandbox()
  // The test that uses it fails then.
  sandbox.catch(() => undefined)
})

describe('on a chain of its own', () => {
  let chain: Chain
  let directory: string
  let databaseUrl: string
  const env = { ADMIN_TOKEN: 'an-admin-token-for-tests', SIGNER_KEY: `0x${'01'.repeat(32)}` }
  beforeAll(async () => {
    chain = await startChain(BigInt(Math.floor(Date.now() / 1000)))
    directory = await mkdtemp(join(tmpdir(), 'tallystick-doctor-'))
    const source = await createTestDatabase('postgres', inject('databases'))
    databaseUrl = source.url
    const config = parseConfig(settingsOf({}), { path: 'test', env, secrets: 'required', baseDirectory: directory })
    const database = await openServiceDatabase(databaseUrl, () => undefined)
    await createOperator({ database, config, clock: createTime() }).setCurve({ points: { 7: 369, 30: 362 } })
    await database.close()
    return source.remove
  })
  afterAll(async () => {
    await chain.stop()
    await rm(directory, { recursive: true, force: true })
  })

  function settingsOf(change: object) {
    const { pool, positions, client } = chain
    const subgraph = { embedded: { positions } }
    return {
      listen: { host: '127.0.0.1', port: 0, proxy: { trust: ['127.0.0.1'] } },
      admin: { port: 9464, token: 'env:ADMIN_TOKEN' },
      database: databaseUrl,
      signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
      tenors: [7, 30],
      chains: [{ id: 324, name: 'devnet', pool, rpc: [client.transport.url as string], subgraph, ...change }],
    }
  }

  async function configure(change: object): Promise<string> {
    const settings = settingsOf(change)
    const path = join(directory, 'tallystick.json')
    const admin = { ...settings.admin, port: await findFreePort() }
    await writeFile(path, JSON.stringify({ ...settings, admin }), { mode: 0o600 })
    return path
  }

  /** What the command does, without the seconds a process of its own takes. */
  async function examine(change: object = {}, variables: Record<string, string> = {}): Promise<Diagnosis> {
    const configPath = await configure(change)
    const { verdict, findings } = await runDoctor({
      configPath,
      env: { ...env, ...variables },
      hosts: [],
      clock: createTime(),
      report: () => undefined,
    })
    return { exitCode: verdict === 'healthy' ? 0 : 1, findings }
  }

  /** Changes the pool for the length of a test. */
  async function administer(
    functionName: string,
    args: unknown[],
    [undoName, undoArgs, to = chain.pool]: readonly [string, unknown[], Address?],
  ): Promise<void> {
    const undo = [undoName, undoArgs] as const
    const call = { from: chain.admin.address, to }
    await send(chain, { ...call, functionName, args })
    onTestFinished(async () => {
      await send(chain, { ...call, functionName: undo[0], args: undo[1] })
    })
  }

  test('default: nothing is broken', async () => {
    const diagnosis = await examine()
    expect([diagnosis.exitCode, linesOf(diagnosis, 'fail')]).toEqual([0, []])
    expect(linesOf(diagnosis, 'ok').join('\n')).toContain('fresh note: validatePriceFeed accepts a newly signed note')
    expect(linesOf(diagnosis, 'warn').join('\n')).toContain(
      'floating income: it is not yet reported for yesterday (UTC)',
    )
  })

  test('default: a configuration by `init` starts the service, which signs, indexes the chain and is healthy', async () => {
    const folder = join(directory, 'init')
    const source = await createTestDatabase('pglite', inject('databases'))
    onTestFinished(source.remove)
    await mkdir(folder, { mode: 0o700 })
    const { cert, key } = createCertificateAuthority().issue(['localhost'])
    await writeFile(join(folder, 'cert.pem'), cert)
    await writeFile(join(folder, 'key.pem'), key, { mode: 0o600 })
    await writeFile(join(folder, 'signer-key'), env.SIGNER_KEY, { mode: 0o600 })
    const configPath = join(folder, 'tallystick.json')
    const options = {
      ...{ config: configPath, cert: 'cert.pem', key: 'key.pem', port: 0, 'admin-port': await findFreePort() },
      ...{ database: source.url, chain: 324, pool: chain.pool, rpc: chain.client.transport.url as string },
      ...{ subgraph: 'embedded', positions: chain.positions, signer: 'file:signer-key' },
    }
    const commandLine = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)])
    // The chain is in this process, and must answer meanwhile.
    const args = [...shortRunFlags, cli, 'init', '--yes', '--json', ...commandLine]
    const init = await promisify(execFile)(process.execPath, args, { cwd: folder })
    expect(init.stderr).toContain('The RPC serves chain 324, and the pool is on it.')
    expect(JSON.parse(init.stdout).variables).toEqual([])

    const config = loadConfig(configPath, { env: {}, secrets: 'required' })
    const clock = createTime()
    const database = await openServiceDatabase(config.database.reveal(), () => undefined)
    const points = Object.fromEntries(config.tenors.map((tenor) => [tenor, 369]))
    await createOperator({ database, config, clock }).setCurve({ points })
    await database.close()
    const service = await startService({ config, time: clock, log: pino({ level: 'silent' }), say: () => undefined })
    onTestFinished(service.stop)
    expect(service.baseUrl).toMatch(/^https:/)
    const diagnosis = await runDoctor({ configPath, env: {}, hosts: [], clock, report: () => undefined })
    const lines = diagnosis.findings.map(({ severity, subject, name }) => `${severity} ${subject}: ${name}`)
    expect(linesOf({ exitCode: 0, findings: diagnosis.findings }, 'fail')).toEqual([])
    expect(lines).toContain('ok chain 324: fresh note')
    expect(lines).toContain('ok chain 324: mint')
    expect(lines).toContain('ok chain 324: lend')
  })

  test.each([
    ['a pool address without a contract', { pool: nobody }, /^chain 324: pool: there is no contract at 0x0+dEaD/],
    [
      'a domain of another version',
      { domain: { version: '2' } },
      /^chain 324: domain separator: .*version "2".*refuses every note/,
    ],
    ['a domain of another name', { domain: { name: 'Other' } }, /^chain 324: domain separator: .*name "Other"/],
    [
      'positions without a contract',
      { subgraph: { embedded: { positions: nobody } } },
      /^subgraph 324: positions: there is no contract at 0x0+dEaD/,
    ],
  ])('error: %s', async (_, change, line) => {
    const diagnosis = await examine(change)
    expect(diagnosis.exitCode).toBe(1)
    expect(linesOf(diagnosis, 'fail').some((failure) => line.test(failure))).toBe(true)
  })

  test.each([
    ['more coupon than the pool takes', { maxCouponBps: 1001 }, 'coupon limit: the pool accepts up to 1000 bps, but '],
    [
      'less maturity than the pool wants',
      { minMaturitySeconds: 3600 },
      'maturity limit: the pool requires 172800 s to maturity, but ',
    ],
  ])(
    'behavior: a configuration that allows %s is a warning, because the pool’s limit applies',
    async (_, change, line) => {
      const diagnosis = await examine(change)
      expect(diagnosis.exitCode).toBe(0)
      expect(linesOf(diagnosis, 'warn').join('\n')).toContain(line)
    },
  )

  test('error: a contract that is no pool', async () => {
    const diagnosis = await examine({ pool: chain.token })
    expect(diagnosis.exitCode).toBe(1)
    expect(linesOf(diagnosis, 'fail').join('\n')).toContain(
      'fresh note: validatePriceFeed refuses it: the contract reverted',
    )
    expect(linesOf(diagnosis, 'warn').join('\n')).toContain(
      'registered signer: validatePriceFeed does not reject a note of another signer',
    )
  })

  test('error: a signer the pool does not know', async () => {
    const diagnosis = await doctor(await configure({}), { ...env, SIGNER_KEY: `0x${'02'.repeat(32)}` })
    expect(diagnosis.exitCode).toBe(1)
    const failures = linesOf(diagnosis, 'fail').join('\n')
    expect(failures).toContain(
      `registered signer: the pool accepts notes of ${noteSigner.address}, but the configured signer is 0x`,
    )
    expect(failures).toContain(
      `fresh note: validatePriceFeed refuses it: the pool accepts notes signed by ${noteSigner.address}`,
    )
  })

  test.each([
    [
      'a lowered coupon limit',
      'setMaxCouponLimit',
      [365n],
      ['setMaxCouponLimit', [1000n]],
      'coupon limit: the pool accepts up to 365 bps, but there are coupons of 369 bps',
    ],
    [
      'a raised maturity limit',
      'setMinMaturityLimit',
      [700_000n],
      ['setMinMaturityLimit', [172_800n]],
      'maturity limit: the pool requires 700000 s to maturity, but the 7-day note matures',
    ],
    ['a paused pool', 'pause', [], ['unpause', []], 'open: the pool is paused: lending and claiming fail'],
    [
      'another signer registered',
      'setVerifierSigner',
      [nobody],
      ['setVerifierSigner', [noteSigner.address]],
      'registered signer: the pool accepts notes of 0x0000',
    ],
  ] as const)('error: %s on the chain', async (_, functionName, args, undo, line) => {
    await administer(functionName, [...args], [undo[0], [...undo[1]]])
    const diagnosis = await examine()
    expect([diagnosis.exitCode, linesOf(diagnosis, 'fail').join('\n')]).toEqual([1, expect.stringContaining(line)])
  })

  test('error: a pool that may not mint the dollar', async () => {
    const grant = [minterRole, chain.pool]
    await administer('revokeRole', grant, ['grantRole', grant, chain.token])
    const { exitCode, findings } = await examine()
    expect(exitCode).toBe(1)
    expect(findings).toContainEqual(
      expect.objectContaining({
        ...{ subject: 'chain 324', name: 'roles and tokens', severity: 'fail' },
        message: expect.stringContaining('the pool may not mint the dollar, so claims fail'),
        remedy: `Call grantRole(MINTER_ROLE, ${chain.pool}) on the dollar ${chain.token} from its admin role.`,
      }),
    )
  })

  test('error: a dollar other than the configured one', async () => {
    const diagnosis = await examine({ dollar: nobody })
    expect(linesOf(diagnosis, 'fail')).toEqual([
      `chain 324: roles and tokens: the pool’s dollar is ${chain.token}, but chains[].dollar is ${nobody}`,
    ])
  })

  test('behavior: an announced signer that is not registered yet is a warning', async () => {
    const next = privateKeyToAccount(`0x${'02'.repeat(32)}`).address
    const signer = { kind: 'private-key', key: 'env:NEXT_KEY', next }
    const diagnosis = await examine({ signer }, { NEXT_KEY: `0x${'02'.repeat(32)}` })
    expect(linesOf(diagnosis, 'warn').join('\n')).toContain(
      `registered signer: the pool accepts notes of ${noteSigner.address}, not yet of the configured signer ${next}`,
    )
  })

  test('error: nine unreported days are counted', async () => {
    const today = BigInt(Math.floor(Date.now() / 86_400_000))
    await send(chain, {
      ...{ from: chain.admin.address, to: chain.pool, functionName: 'updatePreviousFloatingIncome' },
      args: [today - 10n, 1n, [1n]],
    })
    const since = new Date(Number(today - 9n) * 86_400_000).toISOString().slice(0, 10)
    expect(linesOf(await examine(), 'warn').join('\n')).toContain(
      `floating income: it is not reported for 9 days (UTC), since ${since}: a claim pays too little until it is`,
    )
  })

  test.each([
    ['positions', 'position token'],
    ['token', 'dollar'],
  ] as const)('error: a paused %s alone', async (contract, name) => {
    const address = chain[contract]
    const bytecode = (await chain.client.getCode({ address })) as `0x${string}`
    // Returns one to every call, as paused() of a contract does that is.
    await chain.client.setCode({ address, bytecode: '0x600160005260206000f3' })
    onTestFinished(() => chain.client.setCode({ address, bytecode }))
    const diagnosis = await examine()
    expect([diagnosis.exitCode, linesOf(diagnosis, 'fail')]).toEqual([
      1,
      [`chain 324: ${name}: the ${name} is paused: lending and claiming fail`],
    ])
    expect(linesOf(diagnosis, 'ok')).toContain('chain 324: open: the pool is not paused')
  })

  test('behavior: where a node cannot be asked about another time, no usable note is signed to try', async () => {
    const proxy = await startRpcProxy(chain.client.transport.url as string, refuseOverrides)
    onTestFinished(proxy.stop)
    const diagnosis = await examine({ rpc: [proxy.url] })
    expect(diagnosis.exitCode).toBe(0)
    expect(linesOf(diagnosis, 'skipped').join('\n')).toContain(
      'fresh note: the RPC does not support a block time in eth_call',
    )
  })

  test('behavior: the note shown to the pool is good for one second, an hour before the newest block', async () => {
    const proxy = await startRpcProxy(chain.client.transport.url as string)
    onTestFinished(proxy.stop)
    await examine({ rpc: [proxy.url] })
    const { timestamp } = await chain.client.getBlock()
    // The probe for the signer has somebody else's signature and is valid at all times.
    const isProbe = ({ params }: { readonly params: unknown }) => JSON.stringify(params).includes('f'.repeat(32))
    const calls = proxy.calls().filter((call) => !isProbe(call))
    const shown = calls.filter(({ params }) => JSON.stringify(params).includes('0xbe7b54a1'))
    expect(shown).toHaveLength(1)
    const { data } = shown[0]!.params[0] as { data: string }
    const word = (index: number) => BigInt(`0x${data.slice(10 + index * 64, 74 + index * 64)}`)
    expect([word(1), word(2), word(3)]).toEqual([1n, timestamp - 3_601n, timestamp - 3_599n])
  })
})

test('default: a sandbox is well, and every subject was looked at', async () => {
  const dir = await sandbox
  const diagnosis = await doctor(join(dir, 'tallystick.json'))
  expect([diagnosis.exitCode, linesOf(diagnosis, 'fail')]).toEqual([0, []])
  const good = linesOf(diagnosis, 'ok').join('\n')
  for (const line of [
    /^service: ready: /m,
    /^database: reachable: .* is open in the running service/m,
    /^clock: chain 324: /m,
    /^certificate: served: /m,
    /^files: permissions: other users cannot access the secrets in files/m,
    /^signer: signs: /m,
    /^journal: file: .* is intact: \d+ signed sets?, the last of /m,
    /^chain 324: fresh note: validatePriceFeed accepts a newly signed note/m,
    /^chain 324: notes on offer: the pool accepts all 7/m,
    /^subgraph 324: index: following, at block \d+/m,
    /^subgraph 324: service: query: the position query works/m,
    /^subgraph 324: service: lag: it is \d+ blocks, \d+ s behind the chain/m,
  ]) {
    expect(good).toMatch(line)
  }
  const signerKey = readFileSync(join(dir, 'secrets', 'signer-key'), 'utf8')
  expect(JSON.stringify(diagnosis)).not.toContain(signerKey.trim().slice(2))
})
