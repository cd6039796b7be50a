import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLogKeyText } from '@tallystick/public-log'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { generatePrivateKey } from 'viem/accounts'

/** Paths of the files of a sandbox. */
export type Home = Readonly<ReturnType<typeof describeHome>>

const markerFile = 'sandbox.json'

/** Origin of a sandbox's public log. */
export const logOrigin = 'sandbox.tallystick.example/log'

export function describeHome(dir: string) {
  return {
    dir,
    database: join(dir, 'db'),
    journal: join(dir, 'signer-journal.jsonl'),
    logJournal: join(dir, 'log-journal.jsonl'),
    // Contains one directory per chain.
    chains: join(dir, 'chains'),
    // Directory of the only chain in older versions, which cannot be resumed.
    oldChain: join(dir, 'chain'),
    config: join(dir, 'tallystick.json'),
    credentials: join(dir, 'credentials.json'),
    log: join(dir, 'log.jsonl'),
    caCert: join(dir, 'tls', 'ca.pem'),
    tls: { cert: join(dir, 'tls', 'server.pem'), key: join(dir, 'tls', 'server.key') },
    signerKey: join(dir, 'secrets', 'signer-key'),
    logKey: join(dir, 'secrets', 'log-key'),
    adminToken: join(dir, 'secrets', 'admin-token'),
    // Admin token that may only read.
    viewerToken: join(dir, 'secrets', 'viewer-token'),
    apiKey: join(dir, 'secrets', 'api-key.json'),
  }
}

/** Throws if a directory has content that is not a sandbox's, so that `--fresh --dir ~` deletes nothing. */
export function assertSandboxHome({ dir }: Home): void {
  if (!existsSync(dir) || existsSync(join(dir, markerFile)) || readdirSync(dir).length === 0) return
  throw new Error(
    `${dir} was not created by the sandbox, so --fresh does not delete it. Delete it yourself or choose another --dir.`,
  )
}

/** Creates missing files: certificates, signer key, admin token. Existing files stay. */
export function prepareHome(home: Home): void {
  // A directory that the sandbox did not create keeps its permissions. Secret files have their own.
  const isOwn = !existsSync(home.dir) || existsSync(join(home.dir, markerFile))
  mkdirSync(home.dir, { recursive: true, mode: 0o700 })
  if (isOwn) chmodSync(home.dir, 0o700)
  for (const folder of ['tls', 'secrets']) mkdirSync(join(home.dir, folder), { recursive: true, mode: 0o700 })
  writeFileSync(join(home.dir, markerFile), '{ "madeBy": "the Tallystick sandbox" }\n')
  if (!existsSync(home.tls.key)) {
    const authority = createCertificateAuthority()
    const server = authority.issue(['localhost', '127.0.0.1', '::1'])
    writeFileSync(home.caCert, authority.cert)
    writeFileSync(home.tls.cert, server.cert)
    writeSecret(home.tls.key, server.key)
  }
  if (!existsSync(home.signerKey)) writeSecret(home.signerKey, generatePrivateKey())
  if (!existsSync(home.logKey)) writeSecret(home.logKey, createLogKeyText(logOrigin))
  for (const path of [home.adminToken, home.viewerToken]) {
    if (!existsSync(path)) writeSecret(path, randomBytes(24).toString('base64url'))
  }
}

export function readText(path: string): string {
  return readFileSync(path, 'utf8').trim()
}

/** Writes a file that only its owner can read, also if the file exists with other permissions. */
export function writeSecret(path: string, content: string): void {
  writeFileSync(path, content, { mode: 0o600 })
  chmodSync(path, 0o600)
}
