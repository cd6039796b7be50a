import { countOf } from '@tallystick/base/pure'
import { type KeyView, keyScopes, type ReplicaReport } from '@tallystick/core'
import { type Command, InvalidArgumentError } from 'commander'
import { makeChange } from '../operator/with-operator.ts'
import {
  addCommonOptions,
  type CommonOptions,
  optionWithValues,
  parseInstant,
  parseList,
  parseRpm,
} from '../options.ts'
import { exitCodes } from '../terminal/output.ts'
import type { Terminal } from '../terminal/terminal.ts'

/** Options of a key's limits. Left out options stay undefined. */
export type LimitOptions = {
  readonly rpm?: number | 'unlimited'
  readonly burst?: number | 'none'
  readonly perDay?: number | 'none'
  readonly perMonth?: number | 'none'
  readonly allow?: string[] | 'none'
}

/** How long a change of keys waits for the replicas to confirm it. */
export const confirmWaitMs = 5_000

/** Adds the options of limits that a key may have besides its requests per minute. */
export function addLimitOptions(command: Command): Command {
  return command
    .option('--burst <number>', 'most requests within a second on a replica, or "none"', parseLimit)
    .option('--per-day <number>', 'requests per UTC day, or "none"', parseLimit)
    .option('--per-month <number>', 'requests per UTC month, or "none"', parseLimit)
    .option(
      '--allow <list>',
      'networks it may be used from, such as 203.0.113.0/24,2001:db8::/32, or "none"',
      parseAllow,
    )
}

export function addUpdateCommand(keys: Command, terminal: Terminal): void {
  const update = addCommonOptions(
    keys.command('update <id>'),
    'keys update key_4fH2kQ9xL0aB --rpm 1200 --burst 50',
    'keys update key_4fH2kQ9xL0aB --per-day 100000 --allow none',
    'keys update key_4fH2kQ9xL0aB --name "Acme Purse" --scopes notes,rate --expires never',
  )
    .description('change name, scopes, limits or expiry of a key; its secret stays')
    .option('--name <name>', 'owner of the key')
    .addOption(optionWithValues('--scopes <list>', 'scopes, comma separated', keyScopes).argParser(parseList))
    .option('--rpm <number>', 'requests per minute, or "unlimited"', parseRpm)
  addLimitOptions(update)
    .option('--expires <instant>', 'expiry: 2027-01-01 (start of that day, UTC), an instant, or "never"', parseExpiry)
    .action((id: string, options: UpdateOptions) =>
      makeChange(terminal, {
        options,
        change: (operator) => operator.updateKey(id, { ...toChanges(options), waitMs: confirmWaitMs }),
        format: ({ key, replicas }) =>
          `Key ${key.id} ("${key.name}"): scopes ${key.scopes.join(', ')}; ${describeLimits(key)}; ` +
          `${key.expiresAt ? `expires ${key.expiresAt}` : 'does not expire'}. ${formatLoaded(replicas)}`,
        exitCode: exitCodeOf,
      }),
    )
}

type UpdateOptions = CommonOptions &
  LimitOptions & {
    readonly name?: string
    readonly scopes?: string[]
    /** An instant, or `never`. */
    readonly expires?: string
  }

function toChanges({ name, scopes, expires, ...limits }: UpdateOptions) {
  const expiresAt = expires === 'never' ? null : expires
  const others = Object.entries({ name, scopes, expiresAt }).filter(([, value]) => value !== undefined)
  return { ...Object.fromEntries(others), ...toLimits(limits) }
}

function parseExpiry(value: string): string {
  return value === 'never' ? value : parseInstant(value)
}

/** Returns the exit code of a change that not every replica has confirmed. */
export function exitCodeOf({ replicas }: { readonly replicas: ReplicaReport }): number | undefined {
  return replicas.unconfirmed.length > 0 ? exitCodes.unconfirmed : undefined
}

/** Returns the limits that options name. */
export function toLimits({ rpm, burst, perDay, perMonth, allow }: LimitOptions) {
  const limits = { rpm: rpm === 'unlimited' ? 'none' : rpm, burst, quotaPerDay: perDay, quotaPerMonth: perMonth, allow }
  const given = Object.entries(limits).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given.map(([name, value]) => [name, value === 'none' ? null : value]))
}

export function describeLimits(key: KeyView): string {
  const limit = key.rpm === null ? 'no rate limit' : `${countOf(key.rpm, 'request')} a minute`
  return [limit, ...listFurtherLimits(key)].join(', ')
}

/** Lists the limits besides the requests per minute. */
export function listFurtherLimits({ burst, quotaPerDay, quotaPerMonth, allow }: KeyView): readonly string[] {
  return [
    ...(burst === null ? [] : [`${burst} a second`]),
    ...(quotaPerDay === null ? [] : [`${quotaPerDay} a day`]),
    ...(quotaPerMonth === null ? [] : [`${quotaPerMonth} a month`]),
    ...(allow === null ? [] : [`from ${allow.join(' ')}`]),
  ]
}

function formatLoaded({ confirmed, unconfirmed }: ReplicaReport): string {
  const count = confirmed.length + unconfirmed.length
  if (count === 0) return 'No replica is running.'
  if (unconfirmed.length === 0) return `In force on every replica (${count}).`
  return `NOT CONFIRMED by ${unconfirmed.length} of ${count} replicas: ${unconfirmed.map(({ name }) => name).join(', ')}.`
}

// A parser must not return null: Commander makes an empty text of it.
function parseLimit(value: string): number | 'none' {
  if (value === 'none') return value
  if (/^[1-9]\d{0,9}$/.test(value)) return Number(value)
  throw new InvalidArgumentError('Give a whole number above zero, or "none".')
}

function parseAllow(value: string): string[] | 'none' {
  return value === 'none' ? value : parseList(value)
}
