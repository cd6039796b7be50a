import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Finding, StatusReport } from '@tallystick/core'
import { createLogKeyText } from '@tallystick/public-log'
import { createOperator, openServiceDatabase, parseConfig, startService } from '@tallystick/service'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import pino from 'pino'
import { inject, onTestFinished } from 'vitest'
import { atMost, createTestTime, faster, type TestTimeOptions } from '../../../packages/base/test/test-time.ts'
import type { Chain } from './chain.ts'

const token = 'an-admin-token-for-tests'
const logKey = createLogKeyText('notes.example/log')
/** Waits 20 times as short as in production. */
export const shortWaits = {
  clocks: faster(20),
  issuing: faster(20),
  'issuing retry': faster(20),
  'Treasury rates': faster(20),
  'Treasury retry': faster(20),
  'public log': faster(20),
  'rows of the log': faster(20),
  'signer protection': faster(20),
  'notes events': atMost(50),
  'state events': faster(20),
  'chain follower': atMost(50),
}

/** Waits of the pool watch, which reads the pools every 100 ms. */
export const poolWaits = (silentMs: number): TestTimeOptions['waits'] => ({
  'pool check': faster(150),
  'pool confirmation': faster(40),
  'pool silence': faster(60_000 / silentMs),
})
const coupons = { 7: 369, 30: 362 }

export type ChainSetting = {
  readonly preflight: 'require' | 'warn' | 'off'
  /** What the service's clock is held at. */
  readonly atSeconds: bigint
  /** The chain's own node by default. */
  readonly rpc?: readonly string[]
  /** None by default. */
  readonly subgraph?: Readonly<Record<string, unknown>>
  readonly pool?: string
  /** Key of the signer; that of `noteSigner` by default. */
  readonly signerKey?: string
  /** Announced signer. */
  readonly nextSigner?: string
  /** Dollar that the configuration names. */
  readonly dollar?: string
  /** Further chains. The curve is then that of chain 324 alone. */
  readonly others?: readonly object[]
  /** None by default. Its key is `env:LOG_KEY`. */
  readonly log?: Readonly<Record<string, unknown>>
  /** Further waits that are shorter than in production. */
  readonly waits?: TestTimeOptions['waits']
  readonly hasStateEvents?: boolean
  /** A database of its own by default. */
  readonly databaseUrl?: string
  /** Takes what ends the service; the end of the test by default. */
  readonly defer?: (undo: () => Promise<void>) => void
}

/** The service on its own PostgreSQL database, beside a chain of the test's. */
export async function startOnChain({ client, pool }: Chain, setting: ChainSetting) {
  const { defer = onTestFinished, hasStateEvents } = setting
  const source = await createTestDatabase('postgres', inject('databases'))
  defer(source.remove)
  const databaseUrl = setting.databaseUrl ?? source.url
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-chain-'))
  defer(() => rm(directory, { recursive: true }))
  const rpc = setting.rpc ?? [client.transport.url as string]
  const settings = {
    listen: { host: '127.0.0.1', port: 0, lameDuckSeconds: 0, proxy: { trust: ['127.0.0.1'] } },
    admin: { port: 0, token: 'env:ADMIN_TOKEN' },
    database: databaseUrl,
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY', next: setting.nextSigner },
    tenors: [7, 30],
    rails: { preflight: setting.preflight },
    log: setting.log,
    // `/rate` reads the chain for each request.
    data: { pollMs: 0 },
    chains: [
      { id: 324, name: 'devnet', pool: setting.pool ?? pool, dollar: setting.dollar, rpc, subgraph: setting.subgraph },
      ...(setting.others ?? []),
    ],
  }
  const env = {
    ADMIN_TOKEN: token,
    SIGNER_KEY: setting.signerKey ?? `0x${'01'.repeat(32)}`,
    LOG_KEY: logKey,
    SCHEME: 'https',
  }
  const config = parseConfig(settings, { path: 'test', env, secrets: 'required', baseDirectory: directory })
  const clock = createTestTime({ waits: { ...shortWaits, ...setting.waits } })
  clock.hold(Number(setting.atSeconds) * 1000)
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) })
  const database = await openServiceDatabase(databaseUrl, () => undefined)
  const operator = createOperator({ database, config, clock })
  const chainId = setting.others ? 324 : undefined
  if (!setting.databaseUrl) await operator.setCurve({ points: coupons, chainId, by: 'test' })
  const { secret } = await operator.createKey({ name: 'test', rpm: null })
  const databaseShiftMs = () => clock.now() - Date.now()
  const options = { databaseShiftMs, hasStateEvents }
  const service = await startService({ config, time: clock, log, say: () => undefined, ...options })
  let stopped: Promise<void> | undefined
  const stop = () => {
    stopped ??= service.stop().then(() => database.close())
    return stopped
  }
  defer(stop)
  return {
    baseUrl: service.baseUrl,
    secret,
    clock,
    operator,
    database,
    databaseUrl,
    /** A public answer, as a proxy in front would get it. */
    get: async (path: string) => {
      const headers = { 'x-api-key': secret, 'x-forwarded-proto': 'https' }
      const answer = await fetch(`${service.baseUrl}${path}`, { headers })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
      return { status: answer.status, body: (await answer.json()) as any }
    },
    /** The answer of `POST /data` on chain 324, and its header with the heads. */
    query: async (query: string) => {
      const headers = { 'x-api-key': secret, 'x-forwarded-proto': 'https', 'content-type': 'application/json' }
      const body = JSON.stringify({ query, variables: { chains: [324] } })
      const answer = await fetch(`${service.baseUrl}/data`, { method: 'POST', headers, body })
      // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
      const [result] = (await answer.json()) as any
      return { heads: answer.headers.get('x-tallystick-chains') ?? '', data: result?.data }
    },
    /** The findings of `/readyz`, and its status. */
    readyz: async () => {
      const answer = await fetch(`${service.adminUrl}/readyz`, { headers: { authorization: `Bearer ${token}` } })
      const { findings } = (await answer.json()) as { findings: readonly Finding[] }
      return { status: answer.status, findings, pool: findings.find(({ subject }) => subject === 'pool of chain 324') }
    },
    /** What `tallystick status` shows. */
    status: async () => {
      const answer = await fetch(`${service.adminUrl}/status`, { headers: { authorization: `Bearer ${token}` } })
      return (await answer.json()) as StatusReport
    },
    stop,
    log: () => lines.join(''),
    /** The lines of the signer journal. */
    journal: async () => (await readFile(config.signer.journal, 'utf8')).trim().split('\n'),
    showNotes: async () => (await operator.showNotes()).chains[0]!,
    metric: async (series: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const text = await (await fetch(`${service.adminUrl}/metrics`, { headers })).text()
      const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
      return line === undefined ? undefined : Number(line.slice(series.length))
    },
  }
}
