import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Clock, createTime } from '@tallystick/base'
import type { Severity } from '@tallystick/core'
import { createCertificateAuthority, type PemPair } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { expect, onTestFinished } from 'vitest'
import { adminToken, prepare, signerKey } from '../../../packages/service/test/harness.ts'
import type { NamedFinding } from '../src/doctor/findings.ts'
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
  const reported: NamedFinding[] = []
  const diagnosis = await runDoctor({
    configPath,
    env: { ...goodEnv, ...env },
    hosts,
    clock: clock ?? createTime(),
    report: (findings) => reported.push(...findings),
  })
  expect(reported).toEqual(diagnosis.findings)
  const shown = JSON.stringify(diagnosis)
  for (const secret of [adminToken, signerKey.slice(2), ...Object.values(env ?? {})])
    expect(shown).not.toContain(secret)
  for (const { severity, remedy } of diagnosis.findings) {
    if (severity === 'fail' || severity === 'warn') expect(remedy).toMatch(/\S[.?]$/)
  }
  return diagnosis
}

/** The lines that say that something is broken, as "subject: name: message". */
export function failuresOf({ findings }: Diagnosis): string[] {
  return linesOf({ findings }, 'fail')
}

export function linesOf({ findings }: Pick<Diagnosis, 'findings'>, severity: Severity): string[] {
  return findings
    .filter((finding) => finding.severity === severity)
    .map(({ subject, name, message }) => `${subject}: ${name}: ${message}`)
}

/** A server certificate as an authority issued it some days ago; each is valid for 800 days. */
export function issued({ daysAgo = 0, names = ['localhost'], issuerUrl = undefined as string | undefined }): PemPair {
  const authority = createCertificateAuthority(new Date(Date.now() - daysAgo * 86_400_000))
  return authority.issue(names, { issuerUrl })
}
