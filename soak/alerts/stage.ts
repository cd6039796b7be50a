import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '@tallystick/base'
import { createPrivateKeySigner } from '@tallystick/issuer'
import type { PemPair } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { type FakeRow, renderFeed } from '../../packages/service/test/fake-treasury.ts'
import { adminToken } from '../clients/admin.ts'
import { type SoakChain, startChain } from '../environment/chain.ts'
import { type EnvironmentOptions, placeCertificate, type SoakEnvironment } from '../environment/environment.ts'
import { type FakeServer, type ProxyMode, startProxy } from '../environment/fake-servers.ts'
import { createServiceProcess, type ServiceProcess } from '../environment/service-process.ts'

/** Separate service. Faults of its database, signer and chains do not affect the replicas that the soak checks. */
export type Stage = {
  readonly directory: string
  readonly clock: Clock
  readonly service: ServiceProcess
  readonly chain: SoakChain
  /** Certificate that the service had at its start. */
  readonly certificate: PemPair
  readonly signerAddress: `0x${string}`
  readonly rpc: FakeServer<ProxyMode>
  /** Rows of the Treasury's feed, or undefined while it fails. */
  rows: readonly FakeRow[] | undefined
  /** Whether the feed of SOFR works. */
  hasSofr: boolean
  /** Status with which the receiver of webhooks responds. */
  hookStatus: number
  /** File to which the next start of the service writes its log, or undefined. */
  logPath: string | undefined
  readonly hookUrl: string
  readonly monitorAddress: string
  /** Starts a monitor with a wrong key and an RPC that does not respond. Returns what ends it. */
  startMonitor(): () => void
}

const stageChainId = 31_418
const key = `0x${'03'.repeat(32)}` as const
// A Wednesday, 17:42 in New York: the Treasury's rates are fetched, and the next period is signed in 8 minutes.
const startsAtMs = Date.parse('2026-11-18T22:42:00Z')
export const goodRows: readonly FakeRow[] = [
  { date: '2026-11-13', discount: { 4: '3.80', 8: '3.78', 17: '3.70' } },
  { date: '2026-11-17', discount: { 4: '3.81', 8: '3.79', 17: '3.71' } },
]
const cli = fileURLToPath(new URL('../../apps/tallystick/bin/tallystick.js', import.meta.url))

export async function startStage(
  { authority }: Pick<SoakEnvironment, 'authority'>,
  { directory: parent, defer, onCrash }: Pick<EnvironmentOptions, 'directory' | 'defer' | 'onCrash'>,
): Promise<Stage> {
  const directory = join(parent, 'stage')
  mkdirSync(directory)
  const offsetMs = Math.floor((startsAtMs - Date.now()) / 1000) * 1000
  const clock = { now: () => Date.now() + offsetMs }
  const signer = createPrivateKeySigner(key)
  const chain = await startChain({ id: stageChainId, clock, signer })
  defer(() => chain.stop())
  const rpc = await startProxy({ target: chain.url })
  defer(() => rpc.stop())
  const state: Pick<Stage, 'rows' | 'hasSofr' | 'hookStatus' | 'logPath'> = {
    rows: goodRows.slice(0, 1),
    hasSofr: true,
    hookStatus: 204,
    logPath: undefined,
  }
  const outside = await startLocalServer((request, response) => {
    request.resume()
    respond(response, { path: request.url ?? '', state })
  })
  defer(outside.stop)
  const ports = { public: await findFreePort(), admin: await findFreePort(), monitor: await findFreePort() }
  const certificate = authority.issue(['localhost', '127.0.0.1'])
  await placeCertificate(directory, certificate)
  writeFileSync(join(directory, 'ca.pem'), authority.cert)
  createLogKey(join(directory, 'log.key'))
  const config = {
    listen: {
      host: '127.0.0.1',
      port: ports.public,
      connectionsPerAddressMax: 20,
      lameDuckSeconds: 0,
      tls: { cert: 'cert.pem', key: 'key.pem' },
    },
    admin: { port: ports.admin, token: 'env:ADMIN_TOKEN' },
    database: 'file:db',
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
    tenors: [30, 90],
    log: { origin: 'stage.example/log', key: 'file:log.key', mirror: 'mirror' },
    curve: {
      source: 'treasury',
      basis: 'discount',
      spreadBps: -100,
      maxAgeBusinessDays: 5,
      url: `${outside.url}/treasury`,
      plausibility: { source: 'sofr', bandBps: 100, url: `${outside.url}/sofr` },
    },
    hooks: { allowPrivate: ['127.0.0.0/8'] },
    chains: [
      {
        id: stageChainId,
        name: 'stage',
        pool: chain.protocol.pool,
        rpc: [rpc.url],
        subgraph: { embedded: { positions: chain.protocol.positions, startBlock: 0 } },
      },
    ],
  }
  writeFileSync(join(directory, 'tallystick.json'), JSON.stringify(config, undefined, 2))
  const service = createServiceProcess({
    name: 'stage',
    directory,
    baseUrl: `https://127.0.0.1:${ports.public}`,
    adminUrl: `http://127.0.0.1:${ports.admin}`,
    env: { ADMIN_TOKEN: adminToken, SIGNER_KEY: key },
    onCrash,
    offsets: () => ({ clockMs: offsetMs, trueMs: offsetMs }),
    logPath: () => state.logPath,
  })
  defer(() => service.end('SIGKILL'))
  await service.start()
  const monitorAddress = `127.0.0.1:${ports.monitor}`
  const startMonitor = () => {
    const wrongKey = createLogKey(join(directory, `other-${Date.now()}.key`))
    const argv = [cli, 'monitor', service.baseUrl, '--key', wrongKey, '--rpc', `${stageChainId}=http://127.0.0.1:1`]
    const env = { ...process.env, NODE_EXTRA_CA_CERTS: join(directory, 'ca.pem') }
    const flags = ['--interval', '2', '--metrics', monitorAddress]
    const child = spawn(process.execPath, [...argv, ...flags], { stdio: 'ignore', env })
    defer(() => child.kill('SIGKILL'))
    return () => void child.kill('SIGKILL')
  }
  return Object.assign(state, {
    ...{
      directory,
      clock,
      service,
      chain,
      rpc,
      monitorAddress,
      startMonitor,
      certificate,
      signerAddress: signer.address,
    },
    hookUrl: `${outside.url}/hook`,
  })
}

/** Creates a key of a public log and returns its verifier key. */
function createLogKey(path: string): string {
  const argv = [cli, 'log', 'init', '--origin', 'stage.example/log', '--out', path]
  const [, verifierKey = ''] = /everyone: (\S+)/.exec(execFileSync(process.execPath, argv, { encoding: 'utf8' })) ?? []
  return verifierKey
}

function respond(
  response: ServerResponse,
  { path, state }: { readonly path: string; readonly state: Pick<Stage, 'rows' | 'hasSofr' | 'hookStatus'> },
): void {
  if (path.startsWith('/hook')) return void response.writeHead(state.hookStatus).end()
  if (path.startsWith('/sofr') && state.hasSofr) {
    const refRates = [{ effectiveDate: '2026-11-17', type: 'SOFR', percentRate: 3.9, volumeInBillions: 2200 }]
    return void response.setHeader('content-type', 'application/json').end(JSON.stringify({ refRates }))
  }
  if (path.startsWith('/treasury') && state.rows) {
    const month = new URL(path, 'http://localhost').searchParams.get('field_tdr_date_value_month') ?? ''
    const rows = state.rows.filter(({ date }) => date.replace('-', '').startsWith(month))
    return void response.setHeader('content-type', 'application/xml; charset=utf-8').end(renderFeed(rows))
  }
  response.writeHead(500).end()
}
