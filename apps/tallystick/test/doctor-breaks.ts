import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { createTime } from '@tallystick/base'
import { openDatabase } from '@tallystick/database'
import { createOperator, openServiceDatabase } from '@tallystick/service'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { privateKeyToAccount } from 'viem/accounts'
import { onTestFinished } from 'vitest'
import { startFakeRpc } from '../../../packages/service/test/fake-rpc.ts'
import { startFakeSigner } from '../../../packages/service/test/fake-web3signer.ts'
import {
  chain324,
  coupons,
  newDatabase,
  newEmptyDatabase,
  prepare,
  signerAddress,
} from '../../../packages/service/test/harness.ts'
import { issued, type Visit } from './doctor-site.ts'

/** Brings a database to where a service would have it, with a curve or without. */
export async function migrated(url: string, points: Record<string, number> | undefined): Promise<string> {
  const { config } = await prepare({ databaseUrl: url })
  const database = await openServiceDatabase(url, () => undefined)
  if (points) await createOperator({ database, config, clock: createTime() }).setCurve({ points })
  await database.close()
  return url
}

export const nowSeconds = () => Math.floor(Date.now() / 1000)
export const withChain = (change: object) => ({ chains: [{ ...chain324, ...change }] })
export const deadRpc = async (path = '') => `http://127.0.0.1:${await findFreePort()}${path}`

/** A server that answers every request with the same, or as `answer` says by the request's body. */
export async function startServer(answer: (body: string) => string, contentType = 'application/json'): Promise<string> {
  const server = await startLocalServer(async (request, response) => {
    response.setHeader('content-type', contentType).end(answer(await text(request)))
  })
  onTestFinished(server.stop)
  return server.url
}

export const metaAnswer = (timestamp: number | undefined, more: object = {}) =>
  JSON.stringify({
    data: { _meta: { block: { number: 7, hash: '0x1', timestamp }, hasIndexingErrors: false, ...more } },
  })
const noPositions = JSON.stringify({ data: { positionInfos: [] } })
export const subgraphWith = (meta: string, positions = noPositions) =>
  startServer((body) => (body.includes('_meta') ? meta : positions))

export type Case = readonly [name: string, change: () => Promise<Partial<Visit>> | Partial<Visit>, line: RegExp]

/** Every break changes one thing of a good set-up. */
export const listBreaks = (databaseUrl: () => string): readonly Case[] => [
  [
    'a database that is down',
    async () => ({ databaseUrl: 'postgres://u:hunter2@127.0.0.1:1/x' }),
    /^database: reachable: PostgreSQL 127\.0\.0\.1:1\/x cannot be used \(ECONNREFUSED\)/,
  ],
  [
    'a database that does not exist',
    () => ({ databaseUrl: databaseUrl().replace(/\/test_\w+/, '/nowhere') }),
    /^database: reachable: .*\/nowhere cannot be used \(3D000\)/,
  ],
  [
    'a database of a newer version',
    async () => ({ databaseUrl: await tooNew() }),
    /^database: schema: it has the migration "from-the-future"/,
  ],
  [
    'an embedded database another process has open',
    async () => ({ databaseUrl: await opened() }),
    /^database: reachable: .* is in use by process \d+/,
  ],
  [
    'an empty database',
    async () => ({ databaseUrl: await newEmptyDatabase() }),
    /^notes: curve: no curve was ever set/,
  ],
  [
    'no curve',
    async () => ({ databaseUrl: await migrated(await newDatabase(), undefined) }),
    /^notes: chain 324: no curve is in force/,
  ],
  [
    'a clock two hours ahead',
    () => ({ clock: { now: () => Date.now() + 10_800_000 } }),
    /^clock: database: the database's clock is 3 h behind this machine's/,
  ],
  [
    'a chain ahead of the clock',
    async () => ({ config: withChain({ rpc: [await startFakeRpc({ timestampSeconds: nowSeconds() + 90 })] }) }),
    /^clock: chain 324: its newest block is ([78]\d|90) s ahead of this machine/,
  ],
  [
    'a chain that stands still',
    async () => ({ config: withChain({ rpc: [await startFakeRpc({ timestampSeconds: nowSeconds() - 1000 })] }) }),
    /^clock: chain 324: its newest block is 10[0-5]\d s behind this machine/,
  ],
  [
    'an expired certificate',
    () => ({ certificate: issued({ daysAgo: 803 }) }),
    /^certificate: dates: it expired .*, \d days ago/,
  ],
  [
    'a certificate that is not valid yet',
    () => ({ certificate: issued({ daysAgo: -3 }) }),
    /^certificate: dates: it is not valid before/,
  ],
  [
    'a certificate for other names',
    () => ({ hosts: ['api.example.com'] }),
    /^certificate: names: it is for localhost, 127\.0\.0\.1, not for api\.example\.com/,
  ],
  [
    'a certificate not for the name it is served under',
    () => ({ config: { listen: listenOn('localhost') }, certificate: issued({ names: ['example.com'] }) }),
    /^certificate: names: it is for example\.com, not for localhost/,
  ],
  [
    'a certificate without its intermediate',
    () => ({ certificate: issued({ issuerUrl: 'http://ca.example/issuer.der' }) }),
    /^certificate: chain: .* an intermediate certificate is missing/,
  ],
  [
    'a certificate behind its issuer in the file',
    () => ({ certificate: wrongOrder() }),
    /^certificate: key: the private key matches certificate number 2 of the file, not the first/,
  ],
  [
    'a key of another certificate',
    () => ({ certificate: { key: issued({}).key } }),
    /^certificate: key: the private key does not match the certificate/,
  ],
  [
    'no certificate in the file',
    () => ({ certificate: { cert: 'nothing' } }),
    /^certificate: file: .*cert\.pem contains no PEM certificate/,
  ],
  [
    'a private key that is none',
    () => ({ env: { SIGNER_KEY: '0xdeadbeef' } }),
    /^signer: opens: The signer’s private key is invalid/,
  ],
  [
    'a keystore with another password',
    async () => ({ config: { signer: await keystore() }, env: { PASSWORD: 'not the password' } }),
    /^signer: opens: The password does not decrypt the keystore/,
  ],
  [
    'a Web3Signer that is down',
    async () => ({ config: { signer: { kind: 'web3signer', url: await deadRpc(), address: signerAddress } } }),
    /^signer: signs: Web3Signer cannot be reached \(ECONNREFUSED\)/,
  ],
  [
    'a Web3Signer with another key',
    async () => ({ config: { signer: await otherSigner() } }),
    /^signer: signs: .* a signature by another key: signed by 0x/,
  ],
  [
    'an RPC that is down',
    async () => ({ config: withChain({ rpc: [await deadRpc('/v2/a-secret-of-the-provider')] }) }),
    /^chain 324: rpc 127\.0\.0\.1:\d+: it cannot be reached \(ECONNREFUSED\)$/,
  ],
  [
    'an RPC of another chain',
    async () => ({ config: withChain({ rpc: [await startFakeRpc({ timestampSeconds: nowSeconds(), chainId: 1 })] }) }),
    /^chain 324: rpc .*: it serves chain 1, but the configuration says 324/,
  ],
  [
    'an RPC that is a web page',
    async () => ({ config: withChain({ rpc: [await startServer(() => '<html>', 'text/html')] }) }),
    /^chain 324: rpc .*: it sent a response that is not JSON/,
  ],
  [
    'an address without a contract',
    async () => ({ config: withChain({ rpc: [await startFakeRpc({ timestampSeconds: nowSeconds() })] }) }),
    /^chain 324: pool: there is no contract at 0x529d/,
  ],
  [
    'a tenor the rails refuse',
    () => ({ config: { tenors: [2, 7] } }),
    /^chain 324: tenors: the shortest, 2 days, .*: no notes are signed/,
  ],
  [
    'a subgraph that is down',
    async () => ({ config: remote(await deadRpc()) }),
    /^subgraph 324: .*: reachable: it cannot be reached \(ECONNREFUSED\)/,
  ],
  [
    'a subgraph that is a web page',
    async () => ({ config: remote(await startServer(() => '<html>', 'text/html')) }),
    /^subgraph 324: .*: query: it answers with text\/html, not with a GraphQL response/,
  ],
  [
    'a subgraph that does not take the key',
    async () => ({
      config: remote(await startServer(() => '{"errors":[{"message":"auth error: a-graph-key is no key"}]}')),
      env: { GRAPH_AUTH: 'a-graph-key' },
    }),
    /^subgraph 324: .*: query: it answers "auth error: … is no key"/,
  ],
  [
    'a subgraph of another schema',
    async () => ({
      config: remote(
        await subgraphWith(
          metaAnswer(nowSeconds()),
          '{"errors":[{"message":"Type `Query` has no field `positionInfos`"}]}',
        ),
      ),
    }),
    /^subgraph 324: .*: query: it answers "Type `Query` has no field `positionInfos`"/,
  ],
  [
    'a subgraph an hour behind',
    async () => ({ config: remote(await subgraphWith(metaAnswer(nowSeconds() - 3600))) }),
    /^subgraph 324: .*: lag: it is 36[0-5]\d s behind the clock/,
  ],
  [
    'a subgraph whose indexing failed',
    async () => ({ config: remote(await subgraphWith(metaAnswer(nowSeconds(), { hasIndexingErrors: true }))) }),
    /^subgraph 324: .*: index: it reports that its indexing failed/,
  ],
]

const remote = (url: string) => withChain({ subgraph: { urls: [url], headers: { authorization: 'env:GRAPH_AUTH' } } })
const listenOn = (host: string) => ({ host, port: 0, tls: { cert: 'cert.pem', key: 'key.pem' } })

async function tooNew(): Promise<string> {
  const url = await migrated(await newDatabase(), coupons)
  const database = await openDatabase(url)
  await database.query(`insert into migrations (scope, position, name) values ('api', 99, 'from-the-future')`)
  await database.close()
  return url
}

async function opened(): Promise<string> {
  const url = await newDatabase('pglite')
  const database = await openDatabase(url)
  onTestFinished(() => database.close())
  return url
}

function wrongOrder() {
  const authority = createCertificateAuthority()
  const server = authority.issue(['localhost'])
  return { cert: authority.cert + server.cert, key: server.key }
}

/** The pbkdf2 vector of the Web3 Secret Storage definition, with fewer rounds: its password is not asked for here. */
async function keystore() {
  const { directory } = await prepare({ databaseUrl: 'file:nowhere' })
  const path = join(directory, 'keystore.json')
  const kdfparams = { c: 1, dklen: 32, prf: 'hmac-sha256', salt: 'ae3c' }
  const crypto = {
    cipher: 'aes-128-ctr',
    cipherparams: { iv: '00'.repeat(16) },
    ciphertext: '00'.repeat(32),
    kdf: 'pbkdf2',
    kdfparams,
    mac: '00'.repeat(32),
  }
  writeFileSync(path, JSON.stringify({ version: 3, crypto }), { mode: 0o600 })
  return { kind: 'keystore', path, password: 'env:PASSWORD' }
}

async function otherSigner() {
  const signer = await startFakeSigner(onTestFinished as never)
  const { address } = privateKeyToAccount(`0x${'02'.repeat(32)}`)
  return { ...signer.config, address }
}
