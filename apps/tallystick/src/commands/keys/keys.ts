import { type KeyView, keyKinds, keyScopes, type ReplicaReport } from '@tallystick/core'
import type { Command } from 'commander'
import { withOperator, withReader } from '../operator/with-operator.ts'
import {
  addCommonOptions,
  addExamples,
  type CommonOptions,
  formatDuration,
  graceOption,
  optionWithValues,
  parseInstant,
  parseList,
  parseRpm,
} from '../options.ts'
import { type Layout, paintStatus } from '../terminal/layout.ts'
import { createOutput, exitCodes, type Output, print } from '../terminal/output.ts'
import { formatTable } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import {
  addLimitOptions,
  addUpdateCommand,
  describeLimits,
  type LimitOptions,
  listFurtherLimits,
  toLimits,
} from './limits.ts'
import { addUsageCommand } from './usage.ts'

type CreateOptions = CommonOptions & {
  readonly name: string
  readonly kind: string
  readonly scopes: string[]
  readonly rpm: number | 'unlimited'
  readonly expires?: string
} & LimitOptions

const confirmWaitMs = 5_000

export function addKeysCommand(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('issue, list, rotate and revoke API keys')
  addExamples(keys, 'keys create --name "Acme Wallet"', 'keys list')
  addCreateCommand(keys, terminal)
  const list = addCommonOptions(keys.command('list').description('list the keys; secrets are not stored')).action(
    async (options: CommonOptions) => {
      const { keys } = await withReader({ terminal, options }, (operator) => operator.listKeys())
      print({ terminal, options }, { document: { keys }, text: (layout) => formatKeys(keys, layout) })
    },
  )
  addExamples(list, 'keys list', 'keys list --json')
  const revoke = addCommonOptions(keys.command('revoke <id>').description('revoke a key on every replica')).action(
    async (id: string, options: CommonOptions) => {
      const revoked = await withOperator({ terminal, options }, (operator) =>
        operator.revokeKey(id, { waitMs: confirmWaitMs }),
      )
      print(
        { terminal, options },
        {
          document: revoked,
          text: () => `Key ${revoked.key.id} ("${revoked.key.name}") is revoked. ${formatReplicas(revoked.replicas)}`,
        },
      )
      setExitCode(terminal, revoked.replicas)
    },
  )
  addExamples(revoke, 'keys revoke key_4fH2kQ9xL0aB')
  addUpdateCommand(keys, terminal)
  addRotateCommand(keys, terminal)
  addUsageCommand(keys, terminal)
}

function addCreateCommand(keys: Command, terminal: Terminal): void {
  const named = addCommonOptions(keys.command('create').description('issue a key; its secret is shown once'))
    .requiredOption('--name <name>', 'owner of the key')
    .addOption(
      optionWithValues('--scopes <list>', 'scopes, comma separated', keyScopes)
        .argParser(parseList)
        .default([...keyScopes], 'all'),
    )
    .option('--rpm <number>', 'requests per minute, or "unlimited"', parseRpm, 600)
  const create = addLimitOptions(named)
    .option(
      '--expires <instant>',
      'expiry: 2027-01-01 (start of that day, UTC) or 2027-01-01T12:00:00Z (default: never)',
      parseInstant,
    )
    .addOption(optionWithValues('--kind <kind>', 'prefix of the secret', keyKinds).default('live'))
    .action(async ({ name, kind, scopes, expires, ...options }: CreateOptions) => {
      const request = { name, kind, scopes, ...toLimits(options), expiresAt: expires ?? null }
      const created = await withOperator({ terminal, options }, (operator) => operator.createKey(request))
      const output = createOutput(terminal, options)
      output.document(created)
      output.text(`Key ${created.key.id} for "${created.key.name}": ${describeKey(created.key)}.`)
      showSecret(output, created.secret)
    })
  addExamples(
    create,
    'keys create --name "Acme Wallet"',
    'keys create --name "Rate screen" --scopes rate --rpm 60 --expires 2027-01-01',
  )
}

function addRotateCommand(keys: Command, terminal: Terminal): void {
  const rotate = addCommonOptions(
    keys.command('rotate <id>').description('create a new secret for a key; it is shown once'),
  )
    .addOption(graceOption('how long the old secret still works'))
    .action(async (id: string, { grace, ...options }: CommonOptions & { readonly grace: number }) => {
      const request = { graceSeconds: grace, waitMs: grace === 0 ? confirmWaitMs : 0 }
      const rotated = await withOperator({ terminal, options }, (operator) => operator.rotateKey(id, request))
      const output = createOutput(terminal, options)
      output.document(rotated)
      const old =
        grace === 0
          ? `The old secret is revoked. ${formatReplicas(rotated.replicas)}`
          : `The old secret works for ${formatDuration(grace)} more.`
      output.text(`Key ${rotated.key.id} ("${rotated.key.name}") has a new secret. ${old}`)
      showSecret(output, rotated.secret)
      if (grace === 0) setExitCode(terminal, rotated.replicas)
    })
  addExamples(rotate, 'keys rotate key_4fH2kQ9xL0aB', 'keys rotate key_4fH2kQ9xL0aB --grace 0')
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
  return `scopes ${key.scopes.join(', ')}; ${describeLimits(key)}; ${key.expiresAt ? `expires ${key.expiresAt}` : 'does not expire'}`
}

function formatKeys(keys: readonly KeyView[], layout: Layout): string {
  if (keys.length === 0) return 'No keys yet. Issue one with `tallystick keys create --name <name>`.'
  const hasLimits = keys.some((key) => listFurtherLimits(key).length > 0)
  return formatTable(
    [
      'ID',
      'NAME',
      { heading: 'KIND', isOptional: true },
      { heading: 'STATUS', paint: paintStatus },
      'SCOPES',
      'RPM',
      ...(hasLimits ? [{ heading: 'LIMITS', isOptional: true }] : []),
      { heading: 'CREATED', isOptional: true },
      'EXPIRES',
      'LAST USED',
    ],
    keys.map((key) => [
      key.id,
      key.name,
      key.kind,
      key.status,
      key.scopes.join(','),
      key.rpm === null ? 'unlimited' : String(key.rpm),
      ...(hasLimits ? [listFurtherLimits(key).join(', ') || 'none'] : []),
      key.createdAt,
      key.expiresAt ?? 'never',
      key.lastUsedAt ?? 'never',
    ]),
    layout,
  )
}
