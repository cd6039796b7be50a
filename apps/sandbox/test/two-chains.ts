import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ShiftableTime } from '@tallystick/base'
import { createClient } from '@tallystick/client'
import type { Severity } from '@tallystick/core'
import { createOperator, openServiceDatabase, parseConfig, startService } from '@tallystick/service'
import { findFreePort } from '@tallystick/workbench/free-port'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import pino from 'pino'
import { runDoctor } from 'tallystick'
import { inject } from 'vitest'
import { createTestTime } from '../../../packages/base/test/test-time.ts'
import { poolWaits, shortWaits } from './service-on-chain.ts'

const env = { ADMIN_TOKEN: 'an-admin-token-for-tests', SIGNER_KEY: `0x${'01'.repeat(32)}`, FORWARDED_PROTO: 'https' }

export type TwoChains = Awaited<ReturnType<typeof startTwoChains>>

/** Starts a service with these chains, whose clock stands still. */
export async function startTwoChains(chains: readonly object[], { atSeconds }: { readonly atSeconds: bigint }) {
  const source = await createTestDatabase('postgres', inject('databases'))
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-states-'))
  const configPath = join(directory, 'tallystick.json')
  const settings = {
    listen: { host: '127.0.0.1', port: 0, lameDuckSeconds: 0, proxy: { trust: ['127.0.0.1'] } },
    admin: { port: await findFreePort(), token: 'env:ADMIN_TOKEN' },
    database: source.url,
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
    tenors: [7, 30],
    // `/rate` reads the chains for each request.
    data: { pollMs: 0 },
    chains,
  }
  await writeFile(configPath, JSON.stringify(settings), { mode: 0o600 })
  const config = parseConfig(settings, { path: 'test', env, secrets: 'required', baseDirectory: directory })
  const clock = createTestTime({ waits: { ...shortWaits, ...poolWaits(1_000) } })
  clock.hold(Number(atSeconds) * 1000)
  const database = await openServiceDatabase(source.url, () => undefined)
  const operator = createOperator({ database, config, clock })
  const { secret } = await operator.createKey({ name: 'test', rpm: null })
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line: string) => lines.push(line) })
  const databaseShiftMs = () => clock.now() - Date.now()
  const service = await startService({ config, time: clock, log, say: () => undefined, databaseShiftMs })
  return {
    operator,
    clock,
    baseUrl: service.baseUrl,
    apiKey: secret,
    log: () => lines.join(''),
    ...visit(service.baseUrl, secret),
    examine: () => examine(configPath, clock),
    stop: async () => {
      await service.stop()
      await database.close()
      await source.remove()
      await rm(directory, { recursive: true })
    },
  }
}

/** Returns functions that request the service as the proxy in front of it does, and the SDK. */
function visit(baseUrl: string, apiKey: string) {
  const proxied = { 'x-forwarded-proto': 'https' }
  const toJson = async (answer: Response) => ({
    status: answer.status,
    retryAfter: answer.headers.get('retry-after'),
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape.
    body: (await answer.json()) as any,
  })
  const headers = { ...proxied, 'x-api-key': apiKey }
  return {
    get: async (path: string) => toJson(await fetch(`${baseUrl}${path}`, { headers })),
    post: async (path: string, body: object) => {
      const options = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' } }
      return toJson(await fetch(`${baseUrl}${path}`, { ...options, body: JSON.stringify(body) }))
    },
    client: createClient({
      baseUrl: 'https://service.example',
      apiKey,
      retries: 0,
      fetch: (url, options) =>
        fetch(String(url).replace('https://service.example', baseUrl), {
          ...options,
          headers: { ...(options?.headers as Record<string, string>), ...proxied },
        }),
    }),
  }
}

/** Runs `tallystick doctor`. Returns what it found out about the notes, the chains and the subgraphs, by severity. */
async function examine(configPath: string, clock: ShiftableTime) {
  const { findings } = await runDoctor({ configPath, env, hosts: [], clock, report: () => undefined })
  const linesOf = (wanted: Severity) =>
    findings
      .filter(({ severity, subject }) => severity === wanted && /^(notes|chain|subgraph)/.test(subject))
      .map(({ subject, name, message }) => `${subject}: ${name}: ${message}`)
  return { fail: linesOf('fail'), warn: linesOf('warn') }
}
