import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, createClock } from '@tallystick/base'
import type { Check } from '@tallystick/service'
import { createCertificateAuthority, type PemPair } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { expect, onTestFinished } from 'vitest'
import { adminToken, prepare, signerKey } from '../../../packages/service/test/harness.ts'
import { type Diagnosis, runDoctor } from '../src/doctor/run-doctor.ts'

export type Visit = {
  readonly databaseUrl: string
  readonly config?: Readonly<Record<string, unknown>>
  readonly env?: Readonly<Record<string, string>>
  readonly hosts?: readonly string[]
  readonly clock?: Clock
  /** The whole file, if it is not to be the configuration as it should be. */
  readonly text?: string
  /** Takes the place of the good ones. */
  readonly certificate?: Partial<PemPair>
}

/** Lets the doctor look at a set-up with a difference. The configuration is made good first, then changed. */
export async function visit({
  databaseUrl,
  config,
  env,
  hosts = [],
  clock,
  text,
  certificate,
}: Visit): Promise<Diagnosis> {
  const { directory, settings, env: goodEnv } = await prepare({ databaseUrl })
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const configPath = join(directory, 'tallystick.json')
  const admin = { port: await findFreePort(), token: 'env:ADMIN_TOKEN' }
  await writeFile(configPath, text ?? JSON.stringify({ ...settings, admin, ...config }), { mode: 0o600 })
  if (certificate?.cert !== undefined) await writeFile(join(directory, 'cert.pem'), certificate.cert)
  if (certificate?.key !== undefined) await writeFile(join(directory, 'key.pem'), certificate.key)
  const reported: Check[] = []
  const diagnosis = await runDoctor({
    configPath,
    env: { ...goodEnv, ...env },
    hosts,
    clock: clock ?? createClock(),
    report: (checks) => reported.push(...checks),
  })
  expect(reported).toEqual(diagnosis.checks)
  const shown = JSON.stringify(diagnosis)
  for (const secret of [adminToken, signerKey.slice(2), ...Object.values(env ?? {})])
    expect(shown).not.toContain(secret)
  for (const { outcome, advice } of diagnosis.checks) {
    if (outcome === 'fail' || outcome === 'warn') expect(advice).toMatch(/\S[.?]$/)
  }
  return diagnosis
}

/** The lines that say that something is broken, as "subject: name: found". */
export function failuresOf({ checks }: Diagnosis): string[] {
  return linesOf({ checks }, 'fail')
}

export function linesOf({ checks }: Pick<Diagnosis, 'checks'>, outcome: Check['outcome']): string[] {
  return checks
    .filter((check) => check.outcome === outcome)
    .map(({ subject, name, found }) => `${subject}: ${name}: ${found}`)
}

/** A server certificate as an authority issued it some days ago; each is valid for 800 days. */
export function issued({ daysAgo = 0, names = ['localhost'], issuerUrl = undefined as string | undefined }): PemPair {
  const authority = createCertificateAuthority(new Date(Date.now() - daysAgo * 86_400_000))
  return authority.issue(names, { issuerUrl })
}
