import { execFileSync } from 'node:child_process'
import { chmodSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { loadConfig } from '@tallystick/service'
import { describe, expect, onTestFinished, test } from 'vitest'
import { chain324, signerAddress, signerKey } from '../../../packages/service/test/harness.ts'
import { checkFiles } from '../src/doctor/check-files.ts'
import { createFindings } from '../src/doctor/findings.ts'

const content = 'the-content-of-a-secret'

/** A directory with a configuration that names every kind of secret file; each is there, for its owner alone. */
async function newSite(change: object = {}) {
  // The quote and the space are for the shell.
  const directory = await mkdtemp(join(tmpdir(), "tallystick-o'files "))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const at = (name: string) => join(directory, name)
  for (const name of ['token', 'ann', 'header', 'key.pem', 'client.pem', 'signer-header', 'keystore', 'password']) {
    writeFileSync(at(name), `${content} ${name}`, { mode: 0o600 })
  }
  writeFileSync(at('signer-key'), signerKey, { mode: 0o600 })
  writeFileSync(at('rpc'), `https://rpc.example/${content}`, { mode: 0o600 })
  for (const name of ['db', 'own']) mkdirSync(at(name), { mode: 0o700 })
  writeFileSync(at('own/journal.jsonl'), '', { mode: 0o600 })
  const settings = {
    listen: { tls: { cert: 'cert.pem', key: 'key.pem' } },
    admin: { token: 'file:token', tokens: [{ name: 'ann', token: 'file:ann', roles: ['metrics'] }] },
    database: 'file:db',
    signer: { kind: 'private-key', key: 'file:signer-key', journal: 'own/journal.jsonl' },
    chains: [
      {
        ...chain324,
        rpc: ['file:rpc'],
        subgraph: { urls: ['https://graph.example'], headers: { authorization: 'file:header' } },
      },
    ],
    ...change,
  }
  const configPath = at('tallystick.json')
  writeFileSync(configPath, JSON.stringify(settings))
  chmodSync(configPath, 0o644)
  const env = { DATABASE_URL: `postgres://db.example/x?sslkey=${encodeURIComponent(at('client.pem'))}` }
  const config = loadConfig(configPath, { env, secrets: 'optional' })
  const check = (platform?: NodeJS.Platform) => {
    const findings = createFindings('files')
    checkFiles(findings, { config, configPath, ...(platform && { platform }) })
    expect(JSON.stringify(findings.list)).not.toContain(content)
    return findings.list
  }
  return { at, check }
}

const keystore = { kind: 'keystore', path: 'keystore', password: 'file:password' }
const web3signer = {
  kind: 'web3signer',
  url: 'https://signer.example',
  address: signerAddress,
  tls: { cert: 'cert.pem', key: 'client.pem' },
  headers: { authorization: 'file:signer-header' },
}

test('default: files accessible only to their owner are ok, in one line', async () => {
  const { check } = await newSite()
  const message = 'other users cannot access the secrets in files (9 paths checked)'
  expect(check()).toEqual([{ subject: 'files', name: 'permissions', severity: 'ok', message }])
})

describe('modes', () => {
  test.each([0o600, 0o640, 0o400, 0o440])('default: %o of a secret is ok', async (mode) => {
    const { at, check } = await newSite()
    chmodSync(at('token'), mode)
    expect(check()).toMatchObject([{ severity: 'ok' }])
  })

  test.each([
    [0o644, 'every user can read', 0o640],
    [0o604, 'every user can read', 0o600],
    [0o666, 'every user can read, every user can change, its group can change', 0o640],
    [0o602, 'every user can change', 0o600],
    [0o620, 'its group can change', 0o600],
    [0o660, 'its group can change', 0o640],
  ])('error: %o of a secret; the advised command corrects it', async (mode, rights, corrected) => {
    const { at, check } = await newSite()
    chmodSync(at('token'), mode)
    const checks = check()
    const message = `${rights} ${at('token')} (mode 0${mode.toString(8)})`
    expect(checks).toMatchObject([{ name: 'admin.token', severity: 'fail', message }])
    execFileSync('/bin/sh', ['-c', /`(.*)`/.exec(checks[0]?.remedy ?? '')?.[1] as string])
    expect(statSync(at('token')).mode & 0o777).toBe(corrected)
    expect(check()).toMatchObject([{ severity: 'ok' }])
  })
})

describe('error: every kind of file', () => {
  test.each([
    ['listen.tls.key', 'key.pem', {}],
    ['admin.tokens[0].token', 'ann', {}],
    ['signer.key', 'signer-key', {}],
    ['signer.path', 'keystore', { signer: keystore }],
    ['signer.password', 'password', { signer: keystore }],
    ['signer.tls.key', 'client.pem', { signer: web3signer }],
    ['signer.headers.authorization', 'signer-header', { signer: web3signer }],
    ['chains[0].rpc[0]', 'rpc', {}],
    ['chains[0].subgraph.headers.authorization', 'header', {}],
    ['signer.journal', 'own/journal.jsonl', {}],
    ['database', 'client.pem', { database: 'env:DATABASE_URL' }],
    ['file', 'tallystick.json', { database: 'postgres://u:hunter2@db.example/x' }],
  ])('%s', async (member, file, change) => {
    const { at, check } = await newSite(change)
    chmodSync(at(file), 0o644)
    const message = `every user can read ${at(file)} (mode 0644)`
    expect(check()).toMatchObject([{ name: member, severity: 'fail', message }])
  })

  test('the directory of the embedded database', async () => {
    const { at, check } = await newSite()
    chmodSync(at('db'), 0o755)
    expect(check()).toMatchObject([{ name: 'database', message: `every user can read ${at('db')} (mode 0755)` }])
    chmodSync(at('db'), 0o711)
    expect(check()).toMatchObject([{ name: 'database', message: expect.stringContaining('can enter') }])
  })

  test('the directory of the journal, only if others can replace the journal', async () => {
    const { at, check } = await newSite()
    for (const mode of [0o755, 0o1777]) {
      chmodSync(at('own'), mode)
      expect(check()).toMatchObject([{ severity: 'ok' }])
    }
    chmodSync(at('own'), 0o757)
    expect(check()).toMatchObject([
      { name: 'signer.journal', message: `every user can change ${at('own')} (mode 0757)` },
    ])
  })
})

describe('choice of the file', () => {
  test('behavior: the target of a link', async () => {
    const { at, check } = await newSite({ admin: { token: 'file:link' } })
    symlinkSync('token', at('link'))
    expect(check()).toMatchObject([{ severity: 'ok' }])
    chmodSync(at('token'), 0o644)
    expect(check()).toMatchObject([{ name: 'admin.token', message: expect.stringContaining(at('link')) }])
  })

  test('behavior: each file is reported once, however many members name it', async () => {
    const { at, check } = await newSite({ signer: { kind: 'private-key', key: 'file:token' } })
    chmodSync(at('token'), 0o644)
    expect(check()).toHaveLength(1)
  })

  test('behavior: a missing file is left to the other checks', async () => {
    const { at, check } = await newSite()
    await Promise.all(['token', 'db', 'own'].map((name) => rm(at(name), { recursive: true })))
    expect(check()).toMatchObject([{ severity: 'ok', message: expect.stringContaining('(5 paths checked)') }])
  })

  test('behavior: skipped on Windows, which has no modes', async () => {
    const { at, check } = await newSite()
    chmodSync(at('token'), 0o666)
    expect(check('win32')).toMatchObject([{ severity: 'skipped' }])
  })
})
