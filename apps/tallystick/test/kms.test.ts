// @module-tag server
// @module-tag slow

import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { decodeNote, verifyNote } from '@tallystick/core'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import {
  chain324,
  createKey,
  newDatabase,
  notesOf,
  signerAddress,
  signerKey,
  start,
  type TestService,
} from '../../../packages/service/test/harness.ts'
import { awsEnv, keyArn, refuse, startFakeAwsKms } from '../../../packages/service/test/kms/fake-aws-kms.ts'
import { gcpKey, startFakeGcpKms } from '../../../packages/service/test/kms/fake-gcp-kms.ts'
import { installAwsSdk } from '../../../packages/service/test/kms/install-aws-sdk.ts'
import { failuresOf, linesOf, visit } from './doctor-site.ts'
import { prepareSite } from './process.ts'

const defer = onTestFinished as never
const otherKey = `0x${'02'.repeat(32)}` as const
const otherAddress = privateKeyToAddress(otherKey)
const noon = '2026-11-15T12:00:00-05:00'
const evening = '2026-11-15T18:00:00-05:00'

beforeAll(async () => {
  await installAwsSdk()
  for (const [name, value] of Object.entries(awsEnv)) vi.stubEnv(name, value)
})
afterAll(() => {
  vi.unstubAllEnvs()
})

/** A key in AWS KMS, and the signer of the configuration. */
async function startAws(privateKey: string) {
  const kms = await startFakeAwsKms(defer, { privateKey })
  return { ...kms, signer: { kind: 'aws-kms', keyId: keyArn, endpoint: kms.endpoint } }
}

/** A key in Google Cloud KMS, and the signer of the configuration with the variable it needs. */
async function startGcp(privateKey: string) {
  const kms = await startFakeGcpKms(defer, { privateKey })
  const signer = { kind: 'gcp-kms', key: gcpKey, endpoint: kms.endpoint, credentials: 'env:GOOGLE_KEY' }
  return { ...kms, signer, env: { GOOGLE_KEY: kms.credentials } }
}

const ask = (service: TestService, secret: string) => service.call('/notes', { headers: { 'x-api-key': secret } })

test('behavior: two replicas with one key in two clouds race over boundaries and publish one set', async () => {
  const databaseUrl = await newDatabase()
  const aws = await startAws(signerKey)
  const gcp = await startGcp(signerKey)
  // Nothing is signed ahead, so both sign at the boundary itself.
  const rails = { signAheadSeconds: 0 }
  const replicas = [
    await start({ databaseUrl, at: noon, config: { signer: aws.signer, rails } }),
    await start({ databaseUrl, at: noon, config: { signer: gcp.signer, rails }, env: gcp.env }),
  ] as const
  const { secret } = await createKey(replicas[0])
  await expect.poll(async () => (await ask(replicas[1], secret)).status).toBe(200)
  // Each signs when the other one is about to, so both have a whole set before one is stored.
  const arrived = new Set<string>()
  const waitForOther = (name: string, isSign: boolean) => {
    if (isSign) arrived.add(name)
    return isSign && vi.waitUntil(() => arrived.size === 2, waitOptions).then(() => false)
  }
  aws.behave(({ operation }) => waitForOther('aws', operation === 'Sign'))
  gcp.behave(({ path }) => waitForOther('gcp', path.endsWith(':asymmetricSign')))
  for (const instant of [evening, '2026-11-16T00:00:00-05:00']) {
    arrived.clear()
    for (const { clock } of replicas) clock.hold(Date.parse(instant))
    let answers = await Promise.all(replicas.map((replica) => ask(replica, secret)))
    await vi.waitUntil(async () => {
      if (answers.every(({ status }) => status === 200)) return true
      answers = await Promise.all(replicas.map((replica) => ask(replica, secret)))
      return false
    }, waitOptions)
    expect(arrived.size).toBe(2)
    expect(new Set(answers.map(({ body }) => body)).size).toBe(1)
    const { data } = notesOf(answers[0]!)
    expect(data).toHaveLength(3)
    for (const wire of data) {
      const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract: chain324.pool }
      const wanted = { domain, signer: signerAddress } as Parameters<typeof verifyNote>[1]
      expect(await verifyNote(decodeNote(wire), wanted)).toMatchObject({ valid: true })
    }
  }
  // Three periods, each once, although both replicas signed the last two.
  const counts = `select count(*)::int as rows, count(distinct (chain_id, period_start, maturity))::int as notes,
    (select count(*)::int from note_sets) as sets from notes`
  expect(await replicas[0].database.query(counts)).toEqual([{ rows: 9, notes: 9, sets: 3 }])
  const shown = replicas.map(({ log }) => log()).join('')
  for (const hidden of ['ya29.', 'PRIVATE KEY', awsEnv.AWS_SECRET_ACCESS_KEY]) expect(shown).not.toContain(hidden)
})

describe('chains with signers of different kinds', () => {
  test('behavior: a KMS that refuses stops the notes of its own chain, and is counted, until it signs again', async () => {
    const aws = await startAws(otherKey)
    const gcp = await startGcp(signerKey)
    const chain = (id: number, signer: object) => ({ id, name: `Chain ${id}`, pool: chain324.pool, signer })
    const chains = [chain324, chain(10, aws.signer), chain(20, gcp.signer)]
    const rails = { signAheadSeconds: 0 }
    const setting = { databaseUrl: await newDatabase(), at: noon, config: { chains, rails }, env: gcp.env }
    const service = await start(setting)
    const { secret } = await createKey(service)
    const idsOf = async () => [...new Set(notesOf(await ask(service, secret)).data.map(({ chainid }) => chainid))]
    expect(await idsOf()).toEqual(['10', '20', '324'])
    for (const line of [
      `signing as ${signerAddress} (private-key) on chain 324`,
      `signing as ${otherAddress} (aws-kms) on chain 10`,
      `signing as ${signerAddress} (gcp-kms) on chain 20`,
    ]) {
      expect(service.log()).toContain(`${line}\n`)
    }

    aws.behave((_, response) => refuse(response, 400, 'AccessDeniedException'))
    service.clock.hold(Date.parse(evening))
    await expect.poll(idsOf).toEqual(['20', '324'])
    const counted = async () =>
      /tallystick_signer_failures_total\{failure="refused"\} [1-9]/.test((await service.admin('/metrics')).body)
    await expect.poll(counted).toBe(true)
    const [, refused] = (await service.operator.showNotes()).chains
    expect(JSON.stringify(refused)).toContain(
      'AWS KMS refused the request (AccessDeniedException, status 400). Allow kms:Sign',
    )
    aws.behave(undefined)
    await expect.poll(idsOf).toEqual(['10', '20', '324'])
    expect(service.log()).not.toContain('111122223333:user')
  })
})

test('behavior: with an address the service starts while the KMS is down and serves the stored notes', async () => {
  const databaseUrl = await newDatabase()
  const aws = await startAws(signerKey)
  const signer = { ...aws.signer, address: signerAddress }
  const first = await start({ databaseUrl, at: noon, config: { signer } })
  const { secret } = await createKey(first)
  const { body } = await ask(first, secret)
  await first.stop()
  aws.behave((_, response) => response.destroy())
  const second = await start({ databaseUrl, at: noon, config: { signer }, curve: null })
  expect(await ask(second, secret)).toMatchObject({ status: 200, body })
  expect(second.log()).toContain('public key of the signer not read; using signer.address')
  const starting = start({ databaseUrl, at: noon, config: { signer: aws.signer }, curve: null })
  await expect(starting).rejects.toMatchObject({ code: 'signer_failed', failure: 'unreachable' })
})

test('behavior: the doctor shows the address, a permission that is missing, and a key that is not the configured one', async () => {
  const databaseUrl = await newDatabase()
  const aws = await startAws(signerKey)
  const signerLines = (lines: readonly string[]) => lines.filter((line) => line.startsWith('signer: '))
  const good = await visit({ databaseUrl, config: { signer: aws.signer } })
  expect(signerLines(linesOf(good, 'ok'))).toEqual([
    `signer: opens: aws-kms, address ${signerAddress}`,
    `signer: signs: its signature recovers to ${signerAddress}`,
  ])
  const wrong = await visit({ databaseUrl, config: { signer: { ...aws.signer, address: otherAddress } } })
  expect(signerLines(failuresOf(wrong))).toEqual([
    `signer: opens: The KMS key belongs to ${signerAddress}, but signer.address is ${otherAddress}. Correct the key or the address.`,
  ])
  aws.behave(({ operation }, response) =>
    operation === 'GetPublicKey' ? refuse(response, 400, 'AccessDeniedException') : false,
  )
  const partly = await visit({ databaseUrl, config: { signer: { ...aws.signer, address: signerAddress } } })
  expect(signerLines(linesOf(partly, 'warn'))[0]).toMatch(/^signer: opens: its public key cannot be compared with /)
  expect(signerLines(linesOf(partly, 'ok'))).toEqual([`signer: signs: its signature recovers to ${signerAddress}`])
})

test('error: a service without the package of AWS says which one and how to install it', async () => {
  const { configPath, env } = await prepareSite({
    databaseUrl: 'file:unused',
    config: { signer: { kind: 'aws-kms', keyId: keyArn } },
  })
  // A directory from which no package of this workspace can be found.
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-installed-'))
  for (const part of ['bin', 'dist/bundle', 'package.json']) {
    cpSync(fileURLToPath(new URL(`../${part}`, import.meta.url)), join(directory, part), { recursive: true })
  }
  const times = { note_started_at: '2', signature_valid_after: '1', signature_valid_before: '3' }
  const signature = { r: `0x${'01'.repeat(32)}`, s: `0x${'01'.repeat(32)}`, v: 27 }
  const note = { maturity_timestamp: '4', coupon: '3', ...times, signature, chainid: '324' }
  writeFileSync(join(directory, 'notes.json'), JSON.stringify([note]))
  const program = join(directory, 'bin/tallystick.js')
  const run = (...args: string[]) =>
    spawnSync(process.execPath, [program, ...args], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...env, ...process.env },
    })
  const verification = run('notes', 'verify', 'notes.json', '--config', configPath)
  expect([verification.status, verification.stderr]).toEqual([
    3,
    expect.stringContaining(
      'The signer kind "aws-kms" needs the package @aws-sdk/client-kms, which is not installed. Run `npm install @aws-sdk/client-kms@3` in the directory where the service is installed.',
    ),
  ])
  // A command that opens no signer does not need it.
  const { status, stdout } = run('notes', 'verify', 'notes.json', '--signer', signerAddress, '--config', configPath)
  expect([status, stdout]).toEqual([1, expect.stringContaining('signed by 0x')])
})
