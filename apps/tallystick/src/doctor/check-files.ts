import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Config, formatPath, readConfigJson, type SignerConfig } from '@tallystick/service'
import type { Findings } from './findings.ts'

type FilesCheckContext = {
  readonly config: Config
  readonly configPath: string
  readonly platform?: NodeJS.Platform
}

/** A file or directory that other users must not access. */
type Place = {
  /** Configuration key of its path. */
  readonly member: string
  readonly path: string
  /** The mode bits that must not be set. */
  readonly forbidden: number
}

// All permissions of other users, and group write. Group read is allowed, because the service's user may need it.
const secretRights = 0o027
// The journal has its own permissions, and its directory may contain other files. Only replacing the journal is prevented.
const folderRights = 0o002
const stickyBit = 0o1000

/**
 * Checks that no file with a secret can be read or changed by other users. A missing file is reported by the check that
 * needs it. Synchronous, so that it finishes before the embedded database is opened.
 */
export function checkFiles(
  findings: Findings,
  { config, configPath, platform = process.platform }: FilesCheckContext,
): void {
  if (platform === 'win32') {
    findings.skip('permissions', 'Windows has no file modes: check the access control lists manually')
    return
  }
  const places = listPlaces(config, configPath)
  const found = places.flatMap((place, index) => {
    const isRepeated = places.findIndex(({ path }) => path === place.path) < index
    const mode = isRepeated ? undefined : readMode(place.path)
    return mode === undefined ? [] : [{ ...place, mode }]
  })
  const exposed = found.filter(isExposed)
  for (const { member, path, mode, forbidden } of exposed) {
    const found = `${describeRights(mode & forbidden)} ${path} (mode ${mode.toString(8).padStart(4, '0')})`
    const command = `chmod ${(mode & ~forbidden).toString(8)} ${quote(path)}`
    findings.fail(member, found, `Remove the permissions: \`${command}\`.`)
  }
  if (found.length === 0) findings.skip('permissions', 'the configuration names no accessible file with a secret')
  else if (exposed.length === 0) {
    const paths = found.length === 1 ? '1 path' : `${found.length} paths`
    findings.ok('permissions', `other users cannot access the secrets in files (${paths} checked)`)
  }
}

function listPlaces(config: Config, configPath: string): Place[] {
  const { listen, signer } = config
  const { database, ...rest } = readConfigJson(configPath) as {
    readonly database?: string
    readonly signer?: { readonly protection?: string }
  }
  const references = findReferences(rest).map(({ member, path }) => ({
    member,
    path: resolve(dirname(resolve(configPath)), path),
  }))
  const secrets = [
    ...([database, rest.signer?.protection].some(hasPassword) ? [{ member: 'file', path: resolve(configPath) }] : []),
    ...(listen.tls ? [{ member: 'listen.tls.key', path: listen.tls.key }] : []),
    ...(listen.tls?.ticketKeys ? [{ member: 'listen.tls.ticketKeys', path: listen.tls.ticketKeys }] : []),
    ...listSignerFiles('signer', signer),
    ...config.chains.flatMap((chain, index) => listSignerFiles(`chains[${index}].signer`, chain.signer)),
    ...references,
    ...listDatabaseFiles('database', config.database.reveal()),
    ...listDatabaseFiles('signer.protection', signer.protection?.reveal() ?? ''),
    { member: 'signer.journal', path: signer.journal },
  ].map((secret) => ({ ...secret, forbidden: secretRights }))
  return [...secrets, { member: 'signer.journal', path: dirname(signer.journal), forbidden: folderRights }]
}

/** Returns the files with the key of a signer, or with the key that authenticates the service to it. */
function listSignerFiles(member: string, signer: SignerConfig): Reference[] {
  if (signer.kind === 'keystore') return [{ member: `${member}.path`, path: signer.path }]
  if (signer.kind === 'web3signer' && signer.tls?.key) return [{ member: `${member}.tls.key`, path: signer.tls.key }]
  return []
}

type Reference = { readonly member: string; readonly path: string }

/** Finds every "file:path" in the configuration file. A loaded secret does not keep its path. */
function findReferences(value: unknown, path: readonly PropertyKey[] = []): Reference[] {
  if (typeof value === 'string') {
    const [, name] = /^file:(.+)$/s.exec(value) ?? []
    return name === undefined ? [] : [{ member: formatPath(path), path: name }]
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, part]) =>
    findReferences(part, [...path, Array.isArray(value) ? Number(key) : key]),
  )
}

/** Returns the directory of the embedded database, or the client key of a PostgreSQL URL. */
function listDatabaseFiles(member: string, url: string): Reference[] {
  if (url.startsWith('file:')) return [{ member, path: url.replace(/^file:(\/\/)?/, '') }]
  const key = URL.canParse(url) ? new URL(url).searchParams.get('sslkey') : null
  return key ? [{ member, path: resolve(key) }] : []
}

function hasPassword(database: string | undefined): boolean {
  return database !== undefined && URL.canParse(database) && new URL(database).password !== ''
}

/** Returns the mode of a file or of a link's target, or undefined if this user cannot access it. */
function readMode(path: string): number | undefined {
  try {
    return statSync(path).mode & 0o7777
  } catch {
    return undefined
  }
}

function isExposed({ mode, forbidden }: { readonly mode: number; readonly forbidden: number }): boolean {
  // In a directory with the sticky bit, each user can replace only their own files.
  if (forbidden === folderRights && (mode & stickyBit) !== 0) return false
  return (mode & forbidden) !== 0
}

function describeRights(bits: number): string {
  const rights = [
    ...((bits & 0o004) !== 0 ? ['every user can read'] : []),
    ...((bits & 0o002) !== 0 ? ['every user can change'] : []),
    ...((bits & 0o020) !== 0 ? ['its group can change'] : []),
  ]
  return rights.length === 0 ? 'every user can enter or execute' : rights.join(', ')
}

function quote(path: string): string {
  return `'${path.replaceAll("'", "'\\''")}'`
}
