import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createOperator, createPrivateKeySigner, loadConfig, openServiceDatabase } from '@tallystick/api'
import { currentCoupons } from '@tallystick/sandbox'
import {
  type CertificateAuthority,
  createCertificateAuthority,
  type PemPair,
} from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { type PostgresServer, startPostgres } from '@tallystick/workbench/postgres'
import { adminToken } from './admin.ts'
import { type SoakChain, startChain } from './chain.ts'
import type { Clocks } from './clocks.ts'
import { createDisk, type Disk } from './disk.ts'
import { untilIndexed } from './embedded-reads.ts'
import { embeddedChainId, remoteChainId } from './explain.ts'
import type { ReplicaName } from './fault.ts'
import { limitedRpm } from './load.ts'
import { createMember, type Member } from './member.ts'
import { type ProxyMode, type StandIn, startProxy, startSigner } from './stand-ins.ts'

/** Everything that runs: real processes on loopback, and the stand-ins that can be made to fail. */
export type World = {
  readonly directory: string
  readonly authority: CertificateAuthority
  readonly postgres: PostgresServer
  readonly databaseUrl: string
  readonly chains: readonly SoakChain[]
  /** In front of the chains' nodes, in their order. */
  readonly rpcs: readonly StandIn<ProxyMode>[]
  /** In front of the remote subgraph. */
  readonly subgraph: StandIn<ProxyMode>
  readonly signer: Awaited<ReturnType<typeof startSigner>>
  readonly replicas: Readonly<Record<ReplicaName, Member>>
  /** Keeps the remote subgraph in its embedded database. */
  readonly indexer: Member
  readonly disk: Disk
  readonly keys: readonly string[]
  readonly limitedKey: string
}

export type WorldOptions = {
  /** For configurations, certificates and logs. */
  readonly directory: string
  readonly clocks: Clocks
  readonly say: (line: string) => void
  readonly onCrash: (words: string) => void
  /** Takes what has to be undone at the end; the last taken is undone first. */
  readonly defer: (undo: () => unknown) => void
}

const signerKey = `0x${'01'.repeat(32)}` as const
export const tenors = [7, 14, 30, 90]
const keyCount = 3

export async function startWorld(options: WorldOptions): Promise<World> {
  const { directory, clocks, defer, say } = options
  const authority = createCertificateAuthority()
  const postgres = await startPostgres()
  defer(() => postgres.stop())
  await postgres.createDatabase('soak')
  const databaseUrl = postgres.url('soak')
  const signer = await startSigner(signerKey)
  defer(() => signer.stop())
  const ids = [embeddedChainId, remoteChainId]
  const noteSigner = createPrivateKeySigner(signerKey)
  const chains = await Promise.all(ids.map((id) => startChain({ id, clock: clocks, signer: noteSigner })))
  for (const chain of chains) defer(() => chain.stop())
  say(`${chains.length} chains with their history`)
  const rpcs = await Promise.all(chains.map(({ url }) => startProxy({ target: url })))
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
  const indexer = await settleMember(settle, {
    name: 'indexer',
    // The replicas ask it all the time, from one address.
    publicRpm: null,
    settings: {
      database: `file:${join(disk.directory, 'db')}`,
      signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
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
  const a = await settleMember(settle, { name: 'a', settings })
  const b = await settleMember(settle, { name: 'b', settings })
  const secrets = await prepareDatabase(join(directory, 'a', 'tallystick.json'), clocks)
  clocks.tell([a, b, indexer])
  await Promise.all([a, b, indexer].map((member) => member.start()))
  const [limitedKey = '', ...keys] = secrets
  const replicas = { a, b }
  const [first, second] = chains as [SoakChain, SoakChain]
  await Promise.all([a, b].map((member) => untilIndexed(member, { ca: authority.cert, chain: first })))
  await untilIndexed(indexer, { ca: authority.cert, chain: second })
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
  }
}

/** Puts a certificate where a process reads it; the file of its key comes after `beforeKey`. */
export async function placeCertificate(
  directory: string,
  { cert, key, beforeKey = async () => undefined }: PemPair & { readonly beforeKey?: () => Promise<unknown> },
): Promise<void> {
  writeFileSync(join(directory, 'cert.pem'), cert)
  await beforeKey()
  writeFileSync(join(directory, 'key.pem'), key)
}

async function settleMember(
  {
    authority,
    directory: parent,
    options: { clocks, onCrash, defer },
  }: { readonly authority: CertificateAuthority; readonly directory: string; readonly options: WorldOptions },
  {
    name,
    settings,
    publicRpm,
  }: { readonly name: string; readonly settings: object; readonly publicRpm?: null | undefined },
): Promise<Member> {
  const directory = join(parent, name)
  mkdirSync(directory)
  await placeCertificate(directory, authority.issue(['localhost', '127.0.0.1']))
  const [port, adminPort] = [await findFreePort(), await findFreePort()]
  const config = {
    listen: { host: '127.0.0.1', port, publicRpm, tls: { cert: 'cert.pem', key: 'key.pem' } },
    admin: { port: adminPort, token: 'env:ADMIN_TOKEN' },
    tenors,
    // Short, so that what hangs is seen to be cut; small, so that a full cache is not taken for a leak.
    data: { timeoutMs: 5_000, cacheBytesMax: 4 * 1024 * 1024 },
    ...settings,
  }
  writeFileSync(join(directory, 'tallystick.json'), JSON.stringify(config, undefined, 2))
  const member = createMember({
    name,
    directory,
    baseUrl: `https://127.0.0.1:${port}`,
    adminUrl: `http://127.0.0.1:${adminPort}`,
    env: memberEnv,
    onCrash,
    offsets: () => clocks.offsetsOf(name),
  })
  defer(() => member.end('SIGKILL'))
  return member
}

const memberEnv = { ADMIN_TOKEN: adminToken, SIGNER_KEY: `0x${'02'.repeat(32)}` }

/** A curve, and the callers' keys: the first is limited. */
async function prepareDatabase(configPath: string, clock: Clocks): Promise<readonly string[]> {
  const config = loadConfig(configPath, { env: memberEnv, secrets: 'required' })
  const database = await openServiceDatabase(config.database.reveal(), () => undefined)
  const operator = createOperator({ database, config, clock })
  const points = Object.fromEntries(tenors.map((tenor) => [tenor, currentCoupons[tenor]]))
  await operator.setCurve({ points, confirm: true, by: 'soak' })
  const limits = [limitedRpm, ...Array.from({ length: keyCount }, () => null)]
  const secrets: string[] = []
  for (const rpm of limits) secrets.push((await operator.createKey({ name: 'soak', rpm })).secret)
  await database.close()
  return secrets
}
