import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { generatePrivateKey } from 'viem/accounts'

/** Where the sandbox keeps its things. */
export type Home = {
  readonly dir: string
  readonly database: string
  readonly journal: string
  /** Has a directory for each chain. */
  readonly chains: string
  /** Directory of the only chain in older versions, which cannot be resumed. */
  readonly oldChain: string
  readonly config: string
  readonly credentials: string
  readonly log: string
  readonly caCert: string
  readonly tls: { readonly cert: string; readonly key: string }
  readonly signerKey: string
  readonly adminToken: string
  readonly apiKey: string
}

const mark = 'sandbox.json'

export function describeHome(dir: string): Home {
  return {
    dir,
    database: join(dir, 'db'),
    journal: join(dir, 'signer-journal.jsonl'),
    chains: join(dir, 'chains'),
    oldChain: join(dir, 'chain'),
    config: join(dir, 'tallystick.json'),
    credentials: join(dir, 'credentials.json'),
    log: join(dir, 'log.jsonl'),
    caCert: join(dir, 'tls', 'ca.pem'),
    tls: { cert: join(dir, 'tls', 'server.pem'), key: join(dir, 'tls', 'server.key') },
    signerKey: join(dir, 'secrets', 'signer-key'),
    adminToken: join(dir, 'secrets', 'admin-token'),
    apiKey: join(dir, 'secrets', 'api-key.json'),
  }
}

/** Throws if a directory has content that is not a sandbox's: `--fresh --dir ~` must not delete anything. */
export function assertSandboxHome({ dir }: Home): void {
  if (!existsSync(dir) || existsSync(join(dir, mark)) || readdirSync(dir).length === 0) return
  throw new Error(
    `${dir} was not made by the sandbox, so --fresh does not delete it. Delete it yourself, or choose another --dir.`,
  )
}

/** Makes what is missing: certificates, signer key, admin token. What is there stays. */
export function furnishHome(home: Home): void {
  // A directory that somebody else made keeps its rights; everything secret in it has its own.
  const isOwn = !existsSync(home.dir) || existsSync(join(home.dir, mark))
  mkdirSync(home.dir, { recursive: true, mode: 0o700 })
  if (isOwn) chmodSync(home.dir, 0o700)
  for (const folder of ['tls', 'secrets']) mkdirSync(join(home.dir, folder), { recursive: true, mode: 0o700 })
  writeFileSync(join(home.dir, mark), '{ "madeBy": "the Tallystick sandbox" }\n')
  if (!existsSync(home.tls.key)) {
    const authority = createCertificateAuthority()
    const server = authority.issue(['localhost', '127.0.0.1', '::1'])
    writeFileSync(home.caCert, authority.cert)
    writeFileSync(home.tls.cert, server.cert)
    writeSecret(home.tls.key, server.key)
  }
  if (!existsSync(home.signerKey)) writeSecret(home.signerKey, generatePrivateKey())
  if (!existsSync(home.adminToken)) writeSecret(home.adminToken, randomBytes(24).toString('base64url'))
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8').trim()
}

/** Writes a file that only its owner can read. One that is there already may have other rights. */
export function writeSecret(path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600 })
  chmodSync(path, 0o600)
}
