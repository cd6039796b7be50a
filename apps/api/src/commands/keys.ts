import { keyKinds, keyScopes } from '@tallystick/core'
import { type Command, InvalidArgumentError, Option } from 'commander'
import type { KeyView } from '../admin/key-view.ts'
import type { UsageReport } from '../admin/usage-report.ts'
import { usageDaysMax } from '../keys/key-usage-store.ts'
import type { ReplicaReport } from '../keys/replicas.ts'
import {
  addCommonOptions,
  type CommonOptions,
  formatDuration,
  parseDuration,
  parseInstant,
  parseList,
  parseRpm,
} from './options.ts'
import { createOutput, exitCodes, formatTable, type Output } from './output.ts'
import type { Terminal } from './terminal.ts'
import { withOperator, withReader } from './with-operator.ts'

type CreateOptions = CommonOptions & {
  readonly name: string
  readonly kind: string
  readonly scopes: string[]
  readonly rpm: number | 'unlimited'
  readonly expires?: string
}

const graceDefault = parseDuration('24h')
const confirmWaitMs = 5_000

export function addKeysCommand(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('issue, list, rotate and revoke API keys')
  addCommonOptions(keys.command('create').description('issue a key; its secret is shown once'))
    .requiredOption('--name <name>', 'owner of the key')
    .option('--scopes <list>', `scopes: ${keyScopes.join(', ')}`, parseList, [...keyScopes])
    .option('--rpm <number>', 'requests per minute, or "unlimited"', parseRpm, 600)
    .option(
      '--expires <instant>',
      'expiry: 2027-01-01 (start of that day, UTC) or 2027-01-01T12:00:00Z (default: never)',
      parseInstant,
    )
    .option('--kind <kind>', `prefix of the secret: ${keyKinds.join(', ')}`, 'live')
    .action(async ({ config, json, expires, ...key }: CreateOptions) => {
      const { name, kind, scopes, rpm } = key
      const request = { name, kind, scopes, rpm: rpm === 'unlimited' ? null : rpm, expiresAt: expires ?? null }
      const created = await withOperator({ path: config, env: terminal.env }, (operator) => operator.createKey(request))
      const output = createOutput(terminal, json)
      output.document(created)
      output.text(`Key ${created.key.id} for "${created.key.name}": ${describeKey(created.key)}.`)
      showSecret(output, created.secret)
    })
  addCommonOptions(keys.command('list').description('list the keys; secrets are not stored')).action(
    async ({ config, json }: CommonOptions) => {
      const list = await withReader({ path: config, env: terminal.env }, (operator) => operator.listKeys())
      const output = createOutput(terminal, json)
      output.document(list)
      output.text(formatKeys(list.keys))
    },
  )
  addCommonOptions(keys.command('revoke <id>').description('revoke a key on every replica')).action(
    async (id: string, { config, json }: CommonOptions) => {
      const revoked = await withOperator({ path: config, env: terminal.env }, (operator) =>
        operator.revokeKey(id, { waitMs: confirmWaitMs }),
      )
      const output = createOutput(terminal, json)
      output.document(revoked)
      output.text(`Key ${revoked.key.id} ("${revoked.key.name}") is revoked. ${formatReplicas(revoked.replicas)}`)
      setExitCode(terminal, revoked.replicas)
    },
  )
  addRotateCommand(keys, terminal)
  addUsageCommand(keys, terminal)
}

function addUsageCommand(keys: Command, terminal: Terminal): void {
  addCommonOptions(keys.command('usage').description('show the requests of each key on all replicas'))
    .option('--days <number>', 'how many UTC days, 1 to 90', parseDays, 30)
    .action(async ({ config, json, days }: CommonOptions & { readonly days: number }) => {
      const report = await withReader({ path: config, env: terminal.env }, (operator) => operator.showUsage(days))
      const output = createOutput(terminal, json)
      output.document(report)
      output.text(formatUsage(report))
    })
}

function addRotateCommand(keys: Command, terminal: Terminal): void {
  addCommonOptions(keys.command('rotate <id>').description('create a new secret for a key; it is shown once'))
    .addOption(
      new Option('--grace <duration>', 'how long the old secret still works: 0, 90s, 30m, 24h, 7d, or seconds')
        .argParser(parseDuration)
        .default(graceDefault, formatDuration(graceDefault)),
    )
    .action(async (id: string, { config, json, grace }: CommonOptions & { readonly grace: number }) => {
      const request = { graceSeconds: grace, waitMs: grace === 0 ? confirmWaitMs : 0 }
      const rotated = await withOperator({ path: config, env: terminal.env }, (operator) =>
        operator.rotateKey(id, request),
      )
      const output = createOutput(terminal, json)
      output.document(rotated)
      const old =
        grace === 0
          ? `The old secret is revoked. ${formatReplicas(rotated.replicas)}`
          : `The old secret works for ${formatDuration(grace)} more.`
      output.text(`Key ${rotated.key.id} ("${rotated.key.name}") has a new secret. ${old}`)
      showSecret(output, rotated.secret)
      if (grace === 0) setExitCode(terminal, rotated.replicas)
    })
}

function parseDays(value: string): number {
  if (/^[1-9]\d?$/.test(value) && Number(value) <= usageDaysMax) return Number(value)
  throw new InvalidArgumentError(`Give a whole number from 1 to ${usageDaysMax}.`)
}

function formatUsage({ days, keys }: UsageReport): string {
  const rows = keys.map(({ id, name, requests, total, byScope, lastUsedAt }) => [
    id,
    name,
    ...[requests.at(-1) ?? 0, total, byScope.notes, byScope.data, byScope.rate].map(String),
    lastUsedAt ?? 'never',
  ])
  const headings = ['ID', 'NAME', 'TODAY', 'TOTAL', 'NOTES', 'DATA', 'RATE', 'LAST USED']
  return `Requests since ${days[0]} (UTC)\n${formatTable(headings, rows)}`
}

function formatReplicas({ confirmed, unconfirmed }: ReplicaReport): string {
  const count = confirmed.length + unconfirmed.length
  if (count === 0) return 'No replica is running. Each rejects it when it starts.'
  if (unconfirmed.length === 0) return `Rejected by every replica (${count}).`
  const names = unconfirmed.map(({ name, secondsSinceSeen }) => `${name} (last seen ${secondsSinceSeen} s ago)`)
  return [
    `NOT CONFIRMED by ${unconfirmed.length} of ${count} replicas: ${names.join(', ')}.`,
    'Such a replica has stopped, or cannot reach the database and may still accept it. Check that it has stopped, or stop it.',
    'A replica that reaches the database again rejects it within 1 s. A stopped replica leaves this list after 24 h.',
  ].join('\n')
}

function setExitCode(terminal: Terminal, { unconfirmed }: ReplicaReport): void {
  if (unconfirmed.length > 0) terminal.exitCode = exitCodes.unconfirmed
}

function showSecret(output: Output, secret: string): void {
  output.text(`\n  ${secret}\n\nIt is shown only once. The service stores only its hash.`)
}

function describeKey(key: KeyView): string {
  const limit = key.rpm === null ? 'no rate limit' : `${key.rpm} requests a minute`
  return `scopes ${key.scopes.join(', ')}; ${limit}; ${key.expiresAt ? `expires ${key.expiresAt}` : 'does not expire'}`
}

function formatKeys(keys: readonly KeyView[]): string {
  if (keys.length === 0) return 'No keys yet. Issue one with `tallystick keys create --name <name>`.'
  return formatTable(
    ['ID', 'NAME', 'KIND', 'STATUS', 'SCOPES', 'RPM', 'CREATED', 'EXPIRES', 'LAST USED'],
    keys.map((key) => [
      key.id,
      key.name,
      key.kind,
      key.status,
      key.scopes.join(','),
      key.rpm === null ? 'unlimited' : String(key.rpm),
      key.createdAt,
      key.expiresAt ?? 'never',
      key.lastUsedAt ?? 'never',
    ]),
  )
}
