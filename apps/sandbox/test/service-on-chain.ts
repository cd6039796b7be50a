import { createClock, createOperator, openServiceDatabase, parseConfig, startService } from '@tallystick/api'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import pino from 'pino'
import { inject, onTestFinished } from 'vitest'
import type { Chain } from './chain.ts'

const token = 'an-admin-token-for-tests'
const coupons = { 7: 369, 30: 362 }

export type ChainSetting = {
  readonly preflight: 'require' | 'warn' | 'off'
  /** What the service's clock is held at. */
  readonly atSeconds: bigint
  /** The chain's own node by default. */
  readonly rpc?: readonly string[]
  readonly pool?: string
}

/** The service on its own PostgreSQL database, beside a chain of the test's. */
export async function startOnChain({ client, pool }: Chain, setting: ChainSetting) {
  const source = await createTestDatabase('postgres', inject('databases'))
  onTestFinished(source.remove)
  const rpc = setting.rpc ?? [client.transport.url as string]
  const settings = {
    listen: { host: '127.0.0.1', port: 0, proxy: { trust: ['127.0.0.1'] } },
    admin: { port: 0, token: 'env:ADMIN_TOKEN' },
    database: source.url,
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
    tenors: [7, 30],
    rails: { preflight: setting.preflight },
    chains: [{ id: 324, name: 'devnet', pool: setting.pool ?? pool, rpc }],
  }
  const env = { ADMIN_TOKEN: token, SIGNER_KEY: `0x${'01'.repeat(32)}` }
  const config = parseConfig(settings, { path: 'test', env, secrets: 'required', baseDirectory: '/' })
  const clock = createClock()
  clock.hold(Number(setting.atSeconds) * 1000)
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) })
  const database = await openServiceDatabase(source.url, () => undefined)
  const operator = createOperator({ database, config, clock })
  await operator.setCurve({ points: coupons, by: 'test' })
  const service = await startService({ config, clock, log, say: () => undefined })
  onTestFinished(async () => {
    await service.stop()
    await database.close()
  })
  return {
    clock,
    operator,
    log: () => lines.join(''),
    showNotes: async () => (await operator.showNotes()).chains[0]!,
    metric: async (series: string) => {
      const headers = { authorization: `Bearer ${token}` }
      const text = await (await fetch(`${service.adminUrl}/metrics`, { headers })).text()
      const line = text.split('\n').find((candidate) => candidate.startsWith(`${series} `))
      return line === undefined ? undefined : Number(line.slice(series.length))
    },
  }
}
