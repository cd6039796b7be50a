import { randomBytes } from 'node:crypto'
import { dirname, isAbsolute, relative, resolve } from 'node:path'
import { createPrivateKeySigner } from '@tallystick/issuer'
import { createLogKeyText, type LogKey, parseLogKey } from '@tallystick/public-log'
import { formatVerifierKey } from '@tallystick/tlog'
import type { Answers } from './questions.ts'

export type NewFile = { readonly path: string; readonly content: string }

/** What `init --add` adds to a configuration. */
export type Addition = { readonly chain: { readonly id: number } } | { readonly log: object }

export type NewFiles = {
  readonly config: NewFile
  readonly secrets: readonly NewFile[]
  /** Address of a new private key. */
  readonly newSigner: string | undefined
  /** Public key of a new log. */
  readonly verifierKey: string | undefined
}

export const schemaName = 'tallystick.schema.json'

/** Builds the configuration of the answers and the files of its secrets. Paths of answers are relative to `cwd`. */
export function buildFiles(
  answers: Answers,
  { configPath, cwd }: { readonly configPath: string; readonly cwd: string },
): NewFiles {
  const { secrets, place, refer, store } = createPlaces({ configPath, cwd })
  const { adminToken = '', curve, spread, database = '', port, adminPort } = answers
  const signer = buildSigner(answers, { place, refer, store })
  const log = answers['log'] ? buildLog(answers, { refer, store }) : undefined
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
    chains: [buildChain(answers, { refer, store })],
    ...(log && { log: log.config }),
  }
  const text = `${JSON.stringify(config, undefined, 2)}\n`
  return {
    config: { path: resolve(cwd, configPath), content: text },
    secrets,
    newSigner: signer.address,
    verifierKey: log?.verifierKey,
  }
}

/** Builds what answers add to a configuration, and the files of its secrets. */
export function buildAddition(
  answers: Answers,
  target: { readonly configPath: string; readonly cwd: string },
): { readonly addition: Addition; readonly secrets: readonly NewFile[]; readonly verifierKey: string | undefined } {
  const { secrets, ...places } = createPlaces(target)
  if (!answers['log']) return { addition: { chain: buildChain(answers, places) }, secrets, verifierKey: undefined }
  const { config, verifierKey } = buildLog(answers, places)
  return { addition: { log: config }, secrets, verifierKey }
}

function createPlaces({ configPath, cwd }: { readonly configPath: string; readonly cwd: string }): Places & {
  readonly secrets: readonly NewFile[]
} {
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
    refer: (reference) => reference.replace(/^file:(.+)$/s, (_, path: string) => `file:${place(path)}`),
    store: (name, content) => {
      secrets.push({ path: resolve(directory, 'secrets', name), content: `${content}\n` })
      return `file:secrets/${name}`
    },
  }
}

type Places = {
  readonly place: (path: string) => string
  readonly refer: (reference: string) => string
  /** Adds a file with a secret. Returns the reference to it. */
  readonly store: (name: string, content: string) => string
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
  const [, keystore] = /^keystore:(.+)$/.exec(signer) ?? []
  if (keystore) return { config: { kind: 'keystore', path: place(keystore), password: refer(signerPassword) } }
  const [, awsKey] = /^aws-kms:(.+)$/.exec(signer) ?? []
  if (awsKey) return { config: { kind: 'aws-kms', keyId: awsKey } }
  const [, gcpKey] = /^gcp-kms:(.+)$/.exec(signer) ?? []
  if (gcpKey) {
    const credentials = signerCredentials === '' ? undefined : refer(signerCredentials)
    return { config: { kind: 'gcp-kms', key: gcpKey, credentials } }
  }
  if (/^https?:/i.test(signer)) return { config: { kind: 'web3signer', url: signer, address: signerAddress } }
  return { config: { kind: 'private-key', key: refer(signer) } }
}

function buildChain(answers: Answers, { refer, store }: Pick<Places, 'refer' | 'store'>) {
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

function buildLog({ log: origin = '', logKey = '' }: Answers, { refer, store }: Pick<Places, 'refer' | 'store'>) {
  if (logKey !== 'new') return { config: { origin, key: refer(logKey) }, verifierKey: undefined }
  const text = createLogKeyText(origin)
  const { verifier } = parseLogKey(text) as LogKey
  return { config: { origin, key: store('log-key', text) }, verifierKey: formatVerifierKey(verifier) }
}
