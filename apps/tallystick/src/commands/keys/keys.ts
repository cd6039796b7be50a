import { type KeyView, keyKinds, keyScopes, type ReplicaReport, TallystickError } from '@tallystick/core'
import type { Command } from 'commander'
import { makeChange, showReport } from '../operator/with-operator.ts'
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
import { ask } from '../terminal/ask.ts'
import { type Layout, paintStatus } from '../terminal/layout.ts'
import { formatItems, type ItemColumns } from '../terminal/table.ts'
import type { Terminal } from '../terminal/terminal.ts'
import {
  addLimitOptions,
  addUpdateCommand,
  confirmWaitMs,
  describeLimits,
  exitCodeOf,
  type LimitOptions,
  listFurtherLimits,
  toLimits,
} from './limits.ts'
import { addShowCommand } from './show.ts'
import { addUsageCommand } from './usage.ts'

type CreateOptions = CommonOptions & {
  readonly name: string
  readonly kind: string
  readonly scopes: string[]
  readonly rpm: number | 'unlimited'
  readonly expires?: string
} & LimitOptions

export function addKeysCommand(program: Command, terminal: Terminal): void {
  const keys = program.command('keys').description('issue, list, rotate and revoke API keys')
  addExamples(keys, 'keys create --name "Acme Wallet"', 'keys list')
  addCreateCommand(keys, terminal)
  addCommonOptions(keys.command('list'), 'keys list', 'keys list --json')
    .description('list the keys; secrets are not stored')
    .action((options: CommonOptions) =>
      showReport(terminal, { options, read: (operator) => operator.listKeys(), format: formatKeys }),
    )
  addRevokeCommand(keys, terminal)
  addUpdateCommand(keys, terminal)
  addRotateCommand(keys, terminal)
  addUsageCommand(keys, terminal)
  addShowCommand(keys, terminal)
}

function addCreateCommand(keys: Command, terminal: Terminal): void {
  const create = addCommonOptions(
    keys.command('create'),
    'keys create --name "Acme Wallet"',
    'keys create --name "Rate screen" --scopes rate --rpm 60 --expires 2027-01-01',
  )
    .description('issue a key; its secret is shown once')
    .requiredOption('--name <name>', 'owner of the key')
    .addOption(
      optionWithValues('--scopes <list>', 'scopes, comma separated', keyScopes)
        .argParser(parseList)
        .default([...keyScopes], 'all'),
    )
    .option('--rpm <number>', 'requests per minute, or "unlimited"', parseRpm, 600)
  addLimitOptions(create)
    .option(
      '--expires <instant>',
      'expiry: 2027-01-01 (start of that day, UTC) or 2027-01-01T12:00:00Z (default: never)',
      parseInstant,
    )
    .addOption(optionWithValues('--kind <kind>', 'prefix of the secret', keyKinds).default('live'))
    .action((options: CreateOptions) => {
      const { name, kind, scopes, expires } = options
      const request = { name, kind, scopes, ...toLimits(options), expiresAt: expires ?? null }
      return makeChange(terminal, {
        options,
        change: (operator) => operator.createKey(request),
        format: ({ key, secret }) => `Key ${key.id} for "${key.name}": ${describeKey(key)}.\n${formatSecret(secret)}`,
      })
    })
}

function addRotateCommand(keys: Command, terminal: Terminal): void {
  addCommonOptions(
    keys.command('rotate <id>'),
    'keys rotate key_4fH2kQ9xL0aB',
    'keys rotate key_4fH2kQ9xL0aB --grace 0',
  )
    .description('create a new secret for a key; it is shown once')
    .addOption(graceOption('how long the old secret still works'))
    .action((id: string, options: CommonOptions & { readonly grace: number }) => {
      const { grace } = options
      const request = { graceSeconds: grace, waitMs: grace === 0 ? confirmWaitMs : 0 }
      return makeChange(terminal, {
        options,
        change: (operator) => operator.rotateKey(id, request),
        format: ({ key, secret, replicas }) => {
          const old =
            grace === 0
              ? `The old secret is revoked. ${formatReplicas(replicas)}`
              : `The old secret works for ${formatDuration(grace)} more.`
          return `Key ${key.id} ("${key.name}") has a new secret. ${old}\n${formatSecret(secret)}`
        },
        exitCode: grace === 0 ? exitCodeOf : () => undefined,
      })
    })
}

function addRevokeCommand(keys: Command, terminal: Terminal): void {
  const { stdin: input, stdout: output } = terminal
  addCommonOptions(keys.command('revoke <id>'), 'keys revoke key_4fH2kQ9xL0aB', 'keys revoke key_4fH2kQ9xL0aB --yes')
    .description('revoke a key on every replica; asks first on a terminal')
    .option('--yes', 'do not ask', false)
    .action((id: string, options: CommonOptions & { readonly yes: boolean }) =>
      makeChange(terminal, {
        options,
        change: async (operator) => {
          // A script has nobody to ask.
          if (input.isTTY && output.isTTY && !options.json && !options.yes) {
            const key = (await operator.listKeys()).keys.find((one) => one.id === id)
            const question = `Revoke ${key?.name === undefined ? id : `"${key.name}" (${id})`}? Its secret stops working at once and for good.`
            if (key && !(await ask(question, { input, output }))) throw declined()
          }
          return operator.revokeKey(id, { waitMs: confirmWaitMs })
        },
        format: ({ key, replicas }) => `Key ${key.id} ("${key.name}") is revoked. ${formatReplicas(replicas)}`,
        exitCode: exitCodeOf,
      }),
    )
}

function declined(): TallystickError {
  return new TallystickError({ code: 'invalid_request', message: 'The key was not revoked.', retryable: false })
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

function formatSecret(secret: string): string {
  return `\n  ${secret}\n\nIt is shown only once. The service stores only its hash.`
}

function describeKey(key: KeyView): string {
  return `scopes ${key.scopes.join(', ')}; ${describeLimits(key)}; ${key.expiresAt ? `expires ${key.expiresAt}` : 'does not expire'}`
}

const keyColumns: ItemColumns<KeyView> = [
  { heading: 'ID', cell: ({ id }) => id },
  { heading: 'NAME', cell: ({ name }) => name },
  { heading: 'KIND', cell: ({ kind }) => kind, isOptional: true },
  { heading: 'STATUS', cell: ({ status }) => status, paint: paintStatus },
  { heading: 'SCOPES', cell: ({ scopes }) => scopes.join(',') },
  { heading: 'RPM', cell: ({ rpm }) => String(rpm ?? 'unlimited') },
  { heading: 'LIMITS', cell: (key) => listFurtherLimits(key).join(', ') || 'none', isOptional: true },
  { heading: 'CREATED', cell: ({ createdAt }) => createdAt, isOptional: true },
  { heading: 'EXPIRES', cell: ({ expiresAt }) => expiresAt ?? 'never' },
  { heading: 'LAST USED', cell: ({ lastUsedAt }) => lastUsedAt ?? 'never' },
]

function formatKeys({ keys }: { readonly keys: readonly KeyView[] }, layout: Layout): string {
  if (keys.length === 0) return 'No keys yet. Issue one with `tallystick keys create --name <name>`.'
  const hasLimits = keys.some((key) => listFurtherLimits(key).length > 0)
  const columns = keyColumns.filter(({ heading }) => hasLimits || heading !== 'LIMITS')
  return formatItems(keys, { columns, layout })
}
