import { randomBytes } from 'node:crypto'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { createPrivateKeySigner } from '@tallystick/issuer'
import { createLogKeyText, type LogKey, parseLogKey } from '@tallystick/public-log'
import { formatVerifierKey } from '@tallystick/tlog'
import type { Answers } from './questions.ts'

export type NewFile = { readonly path: string; readonly content: string }

/** What `init --add` adds to a configuration. */
export type Addition = { readonly chain: { readonly id: number } } | { readonly log: object }

/** The configuration to write. Paths of answers are relative to `cwd`. */
type Target = { readonly configPath: string; readonly cwd: string }

export const schemaName = 'tallystick.schema.json'

/** Builds the configuration of the answers, with the chains of further answers, and the files of its secrets. */
export function buildFiles(answers: Answers, furtherChains: readonly Answers[], target: Target) {
  const places = createPlaces(target)
  const { secrets, place, refer, store } = places
  const { adminToken = '', curve, spread, database = '', port, adminPort } = answers
  const signer = buildSigner(answers, places)
  const log = answers['log'] ? buildLog(answers, places) : undefined
  const config = {
    $schema: `./${schemaName}`,
    listen: { port: Number(port), ...buildTls(answers, place) },
    admin: {
      port: Number(adminPort),
      token: adminToken === 'new' ? store('admin-token', randomBytes(32).toString('hex')) : refer(adminToken),
    },
    // Its path is relative to the configuration, as the fallback is.
    database,
    signer: signer.config,
    curve:
      curve === 'treasury'
        ? { source: 'treasury', basis: 'discount', spreadBps: Number(spread) }
        : { source: 'manual' },
    chains: [answers, ...furtherChains].map((chain) => buildChain(chain, places)),
    ...(log && { log: log.config }),
  }
  const text = `${JSON.stringify(config, undefined, 2)}\n`
  return {
    config: { path: resolve(target.cwd, target.configPath), content: text },
    secrets,
    /** Address of a new private key. */
    newSigner: signer.address,
    /** Public key of a new log. */
    verifierKey: log?.verifierKey,
  }
}

/** Builds what answers add to a configuration, and the files of its secrets. */
export function buildAddition(answers: Answers, target: Target) {
  const places = createPlaces(target)
  const { secrets } = places
  if (!answers['log']) return { addition: { chain: buildChain(answers, places) }, secrets, verifierKey: undefined }
  const { config, verifierKey } = buildLog(answers, places)
  return { addition: { log: config }, secrets, verifierKey }
}

type Places = ReturnType<typeof createPlaces>

function createPlaces({ configPath, cwd }: Target) {
  const directory = dirname(resolve(cwd, configPath))
  const secrets: NewFile[] = []
  const place = (path: string) => {
    const absolute = resolve(cwd, path)
    const inside = relative(directory, absolute)
    return inside.startsWith('..') || isAbsolute(inside) ? absolute : inside
  }
  return {
    secrets,
    place,
    refer: (reference: string) => reference.replace(/^file:(.+)$/s, (_, path: string) => `file:${place(path)}`),
    /** Adds a file with a secret. Returns the reference to it. */
    store: (name: string, content: string) => {
      secrets.push({ path: resolve(directory, 'secrets', name), content: `${content}\n` })
      return `file:secrets/${name}`
    },
  }
}

function buildTls({ cert = '', key = '', proxy = '' }: Answers, place: Places['place']) {
  if (cert !== '') return { tls: { cert: place(cert), key: place(key) } }
  return { proxy: { trust: proxy.split(',').map((network) => network.trim()) } }
}

function buildSigner(answers: Answers, { place, refer, store }: Places) {
  const { signer = '', signerPassword = '', signerAddress, signerCredentials = '' } = answers
  if (signer === 'new') {
    const key = `0x${randomBytes(32).toString('hex')}`
    const { address } = createPrivateKeySigner(key)
    return { config: { kind: 'private-key', key: store('signer-key', key) }, address }
  }
  const [, kind, key = ''] = /^(keystore|aws-kms|gcp-kms):(.+)$/.exec(signer) ?? []
  if (kind === 'keystore') return { config: { kind, path: place(key), password: refer(signerPassword) } }
  if (kind === 'aws-kms') return { config: { kind, keyId: key } }
  if (kind === 'gcp-kms') {
    const credentials = signerCredentials === '' ? undefined : refer(signerCredentials)
    return { config: { kind, key, credentials } }
  }
  if (/^https?:/i.test(signer)) return { config: { kind: 'web3signer', url: signer, address: signerAddress } }
  return { config: { kind: 'private-key', key: refer(signer) } }
}

function buildChain(answers: Answers, { refer, store }: Places) {
  const { chain = '', name, pool, rpc = '', subgraph = '', positions, startBlock } = answers
  // Providers put their key into the path or the query of a URL.
  const refersTo = (url: string, file: string) => {
    if (!/^https?:/i.test(url)) return refer(url)
    const { pathname, search } = new URL(url)
    return pathname === '/' && search === '' ? url : store(file, url)
  }
  return {
    id: Number(chain),
    name,
    pool,
    ...(rpc !== '' && { rpc: [refersTo(rpc, `rpc-${chain}`)] }),
    ...(subgraph === 'embedded' && { subgraph: { embedded: { positions, startBlock: Number(startBlock) } } }),
    ...(subgraph !== 'embedded' &&
      subgraph !== '' && { subgraph: { urls: [refersTo(subgraph, `subgraph-${chain}`)] } }),
  }
}

function buildLog({ log: origin = '', logKey = '' }: Answers, { refer, store }: Places) {
  if (logKey !== 'new') return { config: { origin, key: refer(logKey) }, verifierKey: undefined }
  const text = createLogKeyText(origin)
  const { verifier } = parseLogKey(text) as LogKey
  return { config: { origin, key: store('log-key', text) }, verifierKey: formatVerifierKey(verifier) }
}
