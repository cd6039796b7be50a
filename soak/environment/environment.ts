import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createPrivateKeySigner } from '@tallystick/issuer'
import { currentCoupons } from '@tallystick/sandbox'
import { createOperator, loadConfig, openServiceDatabase } from '@tallystick/service'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type PemPair,
} from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { type PostgresServer, startPostgres } from '@tallystick/workbench/postgres'
import { adminToken } from '../clients/admin.ts'
import { waitUntilIndexed } from '../clients/embedded-reads.ts'
import { keyLimits } from '../clients/load.ts'
import type { ReplicaName } from '../faults/fault.ts'
import { embeddedChainId, remoteChainId } from '../judges/explain.ts'
import { type SoakChain, startChain } from './chain.ts'
import type { Clocks } from './clocks.ts'
import { createDisk, type Disk } from './disk.ts'
import { type FakeServer, type ProxyMode, startProxy, startSigner } from './fake-servers.ts'
import { type RpcMode, startRpcProxy } from './rpc-proxy.ts'
import { createServiceProcess, type ServiceProcess } from './service-process.ts'

/** All parts of a soak: real processes on loopback, and local servers that can be made to fail. */
export type SoakEnvironment = {
  readonly directory: string
  readonly authority: CertificateAuthority
  readonly postgres: PostgresServer
  readonly databaseUrl: string
  readonly chains: readonly SoakChain[]
  /** Proxies of the nodes, in the order of the chains. */
  readonly rpcs: readonly FakeServer<RpcMode>[]
  /** Proxy of the remote subgraph. */
  readonly subgraph: FakeServer<ProxyMode>
  readonly signer: Awaited<ReturnType<typeof startSigner>>
  readonly replicas: Readonly<Record<ReplicaName, ServiceProcess>>
  /** Service with the remote subgraph, in an embedded database. */
  readonly indexer: ServiceProcess
  readonly disk: Disk
  readonly keys: readonly string[]
  readonly limitedKey: string
  /** Key of a client that uses 30 % of its limit. */
  readonly modestKey: string
}

export type EnvironmentOptions = {
  /** Directory for configurations, certificates and logs. */
  readonly directory: string
  readonly clocks: Clocks
  readonly say: (line: string) => void
  readonly onCrash: (message: string) => void
  /** Returns the checkout that a replica runs. By default this one. */
  readonly checkoutOf?: ((name: string) => string) | undefined
  /** Sets a curve and creates the API keys. By default directly in the database, before the start. */
  readonly prepare?: Preparation | undefined
  /** Registers a function to run at the end. The last one runs first. */
  readonly defer: (undo: () => unknown) => void
}

/** Preparation through the running replicas. Returns the secrets of the keys, in the order of `keyLimits`. */
type Preparation = (replica: ServiceProcess) => Promise<readonly string[]>

const signerKey = `0x${'01'.repeat(32)}` as const
export const tenors = [7, 14, 30, 90]

export async function startEnvironment(options: EnvironmentOptions): Promise<SoakEnvironment> {
  const { directory, clocks, defer, say } = options
  const authority = createCertificateAuthority()
  const postgres = await startPostgres()
  defer(() => postgres.stop())
  say(`the database is ${postgres.description}`)
  await postgres.createDatabase('soak')
  const databaseUrl = postgres.url('soak')
  const signer = await startSigner(signerKey)
  defer(() => signer.stop())
  const ids = [embeddedChainId, remoteChainId]
  const noteSigner = createPrivateKeySigner(signerKey)
  const chains = await Promise.all(ids.map((id) => startChain({ id, clock: clocks, signer: noteSigner })))
  for (const chain of chains) defer(() => chain.stop())
  say(`${chains.length} chains with their history are ready`)
  const [first, second] = chains as [SoakChain, SoakChain]
  const rpcs = [await startRpcProxy(first, { other: second }), await startRpcProxy(second, { other: first })]
  for (const rpc of rpcs) defer(() => rpc.stop())
  const disk = createDisk(join(directory, 'disk'))
  defer(() => disk.remove())

  const [embedded, remote] = chains.map(({ id, protocol: { pool } }, index) => ({
    id,
    name: `chain ${id}`,
    pool,
    rpc: [rpcs[index]?.url],
  }))
  const indexOf = (index: number) => ({ embedded: { positions: chains[index]?.protocol.positions, startBlock: 0 } })
  const settle = { authority, directory, options }
  const feed = await startProxy({ target: 'http://127.0.0.1:9' })
  feed.setMode('drip')
  defer(() => feed.stop())
  const indexer = await addProcess(settle, {
    name: 'indexer',
    // All queries of the replicas come from one address.
    publicRpm: null,
    settings: {
      database: `file:${join(disk.directory, 'db')}`,
      signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
      // It never has a curve and signs nothing. Its feed sends a byte now and then, and must not hinder anything else.
      curve: { source: 'treasury', basis: 'discount', spreadBps: 0, url: feed.url, timeoutMs: 3_000 },
      chains: [{ ...remote, subgraph: indexOf(1) }],
    },
  })
  const subgraph = await startProxy({ target: `${indexer.baseUrl}/subgraphs/${remoteChainId}`, ca: authority.cert })
  defer(() => subgraph.stop())
  const settings = {
    database: databaseUrl,
    signer: { kind: 'web3signer', url: signer.url, address: signer.address },
    chains: [
      { ...embedded, subgraph: indexOf(0) },
      { ...remote, subgraph: { urls: [subgraph.url] } },
    ],
  }
  const a = await addProcess(settle, { name: 'a', settings })
  const b = await addProcess(settle, { name: 'b', settings })
  const start = async () => {
    clocks.setProcesses([a, b, indexer])
    await Promise.all([a, b, indexer].map((serviceProcess) => serviceProcess.start()))
  }
  const prepare = () => prepareDatabase(join(directory, 'a', 'tallystick.json'), clocks)
  const secrets = options.prepare ? await start().then(() => options.prepare?.(a)) : await prepare()
  if (!options.prepare) await start()
  const [limitedKey = '', modestKey = '', ...keys] = secrets ?? []
  const replicas = { a, b }
  await Promise.all(
    [a, b].map((serviceProcess) => waitUntilIndexed(serviceProcess, { ca: authority.cert, chain: first })),
  )
  await waitUntilIndexed(indexer, { ca: authority.cert, chain: second })
  say('two replicas and the remote subgraph are ready')
  return {
    directory,
    authority,
    postgres,
    databaseUrl,
    chains,
    rpcs,
    subgraph,
    signer,
    replicas,
    indexer,
    disk,
    keys,
    limitedKey,
    modestKey,
  }
}

/** Writes the certificate of a process. Awaits `beforeKey` before writing the key. */
export async function placeCertificate(
  directory: string,
  { cert, key, beforeKey = async () => undefined }: PemPair & { readonly beforeKey?: () => Promise<unknown> },
): Promise<void> {
  writeFileSync(join(directory, 'cert.pem'), cert)
  await beforeKey()
  writeFileSync(join(directory, 'key.pem'), key)
}

async function addProcess(
  {
    authority,
    directory: parent,
    options: { clocks, onCrash, defer, checkoutOf },
  }: { readonly authority: CertificateAuthority; readonly directory: string; readonly options: EnvironmentOptions },
  {
    name,
    settings,
    publicRpm,
  }: { readonly name: string; readonly settings: object; readonly publicRpm?: null | undefined },
): Promise<ServiceProcess> {
  const directory = join(parent, name)
  mkdirSync(directory)
  await placeCertificate(directory, authority.issue(['localhost', '127.0.0.1']))
  const [port, adminPort] = [await findFreePort(), await findFreePort()]
  const config = {
    listen: { host: '127.0.0.1', port, publicRpm, tls: { cert: 'cert.pem', key: 'key.pem' } },
    admin: { port: adminPort, token: 'env:ADMIN_TOKEN' },
    tenors,
    // A short timeout makes hanging requests visible. A small cache is not mistaken for a leak.
    data: { timeoutMs: 5_000, cacheBytesMax: 4 * 1024 * 1024 },
    ...settings,
  }
  writeFileSync(join(directory, 'tallystick.json'), JSON.stringify(config, undefined, 2))
  const serviceProcess = createServiceProcess({
    name,
    directory,
    baseUrl: `https://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    env: processEnv,
    onCrash,
    offsets: () => clocks.offsetsOf(name),
    checkout: checkoutOf && (() => checkoutOf(name)),
  })
  defer(() => serviceProcess.end('SIGKILL'))
  return serviceProcess
}

const processEnv = { ADMIN_TOKEN: adminToken, SIGNER_KEY: `0x${'02'.repeat(32)}` }

/** Sets a curve and creates the API keys. */
async function prepareDatabase(configPath: string, clock: Clocks): Promise<readonly string[]> {
  const config = loadConfig(configPath, { env: processEnv, secrets: 'required' })
  const database = await openServiceDatabase(config.database.reveal(), () => undefined)
  const operator = createOperator({ database, config, clock })
  const points = Object.fromEntries(tenors.map((tenor) => [tenor, currentCoupons[tenor]]))
  await operator.setCurve({ points, confirm: true, by: 'soak' })
  const secrets: string[] = []
  for (const rpm of keyLimits) secrets.push((await operator.createKey({ name: 'soak', rpm })).secret)
  await database.close()
  return secrets
}
