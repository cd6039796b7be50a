import { Temporal } from 'temporal-polyfill'
import type { AuditEntryView } from './audit-report.ts'

type Details = AuditEntryView['details']
type Described = Pick<AuditEntryView, 'actor' | 'action' | 'subject' | 'details'>

/**
 * Describes a recorded change as a sentence without its end. An action of another release is described by its name.
 *
 * @example
 * describeAuditEntry({ actor: 'alice', action: 'key.revoke', subject: 'key_1', details: { name: 'Wallet' } })
 * // 'alice revoked the key Wallet (key_1)'
 */
export function describeAuditEntry({ actor, action, subject, details }: Described): string {
  const describe = Object.hasOwn(sentences, action) ? sentences[action] : undefined
  const what = describe ? describe(details, subject) : `recorded ${action.replaceAll(/[._-]+/g, ' ')} of ${subject}`
  return `${nameActor(actor)} ${what}`
}

/** Returns the actions that have a sentence of their own. */
export function listDescribedActions(): readonly string[] {
  return Object.keys(sentences)
}

const sentences: Readonly<Record<string, (details: Details, subject: string) => string>> = {
  'key.create': (details, id) => `created the key ${nameKey(details, id)} with ${listLimits(details)}`,
  'key.update': (details, id) => `changed the key ${nameKey(details, id)}: ${listChanges(details)}`,
  'key.rotate': (details, id) => `gave the key ${nameKey(details, id)} a new secret${describeGrace(details, 'works')}`,
  'key.revoke': (details, id) => `revoked the key ${nameKey(details, id)}`,
  'curve.set': (details, subject) =>
    `set ${subject}${ofChain(details)}: ${listCoupons(details['points'])}${from(details)}${confirmed(details)}`,
  'curve.propose': (details, subject) =>
    `proposed a curve${ofChain(details)} (${subject}): ${listCoupons(details['points'])}${from(details)}${confirmed(details)}`,
  'curve.approve': (details, subject) => `approved ${subject} of ${text(details['proposedBy'], 'somebody')}`,
  'notes.discard': (_, subject) => `discarded the notes of ${subject}`,
  'notes.restore': (details, subject) =>
    `restored the notes of ${subject} from the signer journal: ${listCoupons(details['coupons'])}`,
  'hook.add': (details, id) =>
    `added the webhook ${nameHook(details, id)} for ${list(details['types'], 'all')} events${ofChain(details)}`,
  'hook.remove': (details, id) => `removed the webhook ${nameHook(details, id)}`,
  'hook.rotate': (details, id) =>
    `gave the webhook ${nameHook(details, id)} a new secret${describeGrace(details, 'signs too')}`,
  'hook.enable': (details, id) => `switched the webhook ${nameHook(details, id)} on`,
  'hook.disable': (details, id) =>
    `switched the webhook ${nameHook(details, id)} off: ${text(details['reason'], 'its receiver failed')}`,
  'hook.resend': (details, id) =>
    `sent event ${text(details['event'], '?')} to the webhook ${nameHook(details, id)} again, ${describeResend(details)}`,
  'index.rebuild': (details, subject) =>
    `started a rebuild of the index of ${subject} from block ${number(details['from'])}`,
  'log.restore': (details) =>
    `restored the entries ${number(details['from'])} to ${number(details['to'])} of the public log from its journal`,
  'database.revert': (details, to) =>
    `reverted the database to release ${to}, without ${list(details['migrations'], 'unknown migrations')}`,
  'admin.token': ({ failures }, address) =>
    `sent ${failures === 1 ? 'a wrong admin token' : `${number(failures)} wrong admin tokens`} from ${address}`,
}

const actors: Readonly<Record<string, string>> = {
  treasury: 'The Treasury feed',
  hooks: 'The service',
  unknown: 'Somebody',
  local: 'The command line',
}

function nameActor(actor: string): string {
  return (Object.hasOwn(actors, actor) ? actors[actor] : undefined) ?? actor.replace(/^local:/, 'The system user ')
}

function nameKey({ name, secret }: Details, id: string): string {
  const hint = typeof secret === 'string' ? secret : id
  return typeof name === 'string' ? `${name} (${hint})` : id
}

function nameHook({ host }: Details, id: string): string {
  return typeof host === 'string' ? `of ${host} (${id})` : id
}

/** Lists what a new key may do. What is not limited is left out, except the requests per minute. */
function listLimits(details: Details): string {
  const { rpm, scopes } = details
  const rate = rpm === null ? ['no limit per minute'] : []
  const rest = members.flatMap(([member, describe]) => {
    const value = details[member]
    return value === undefined || value === null ? [] : [describe(value)]
  })
  return [list(scopes, 'no endpoint'), ...rate, ...rest].join(', ')
}

/** Lists what a change has set. */
function listChanges(details: Details): string {
  const { newName, scopes } = details
  const changes = members.flatMap(([member, describe, none]) => {
    const value = details[member]
    return value === undefined ? [] : [value === null ? none : describe(value)]
  })
  return [
    ...(newName === undefined ? [] : [`now named ${text(newName, '?')}`]),
    ...(scopes === undefined ? [] : [`may use ${list(scopes, 'nothing')}`]),
    ...changes,
  ].join(', ')
}

const members: readonly (readonly [member: string, describe: (value: unknown) => string, none: string])[] = [
  ['rpm', (value) => `${number(value)} requests per minute`, 'no limit per minute'],
  ['burst', (value) => `${number(value)} per second`, 'no limit per second'],
  ['quotaPerDay', (value) => `${number(value)} per day`, 'no limit per day'],
  ['quotaPerMonth', (value) => `${number(value)} per month`, 'no limit per month'],
  ['allow', (value) => `only from ${list(value, 'no address')}`, 'from any address'],
  ['expiresAt', (value) => `until ${instant(value)}`, 'without an expiry'],
]

function describeGrace({ graceSeconds }: Details, verb: string): string {
  if (typeof graceSeconds !== 'number') return ''
  return graceSeconds === 0 ? '; the old one ended at once' : `; the old one ${verb} for ${span(graceSeconds)} more`
}

function describeResend({ isDelivered, status }: Details): string {
  if (isDelivered === true) return 'and it was delivered'
  return typeof status === 'number' ? `and got status ${status}` : 'and got no response'
}

function listCoupons(points: unknown): string {
  const tenors = Object.entries(typeof points === 'object' && points !== null ? points : {})
  return tenors.map(([tenor, bps]) => `${tenor} days ${number(bps)} bps`).join(', ') || 'no coupons'
}

function ofChain({ chainId }: Details): string {
  return typeof chainId === 'number' ? ` of chain ${chainId}` : ''
}

function from({ effectiveFrom }: Details): string {
  return effectiveFrom === undefined ? '' : `, from ${instant(effectiveFrom)}`
}

function confirmed(details: Details): string {
  return details['confirmed'] === true ? ', confirmed' : ''
}

/** Shows a value of any type, as other releases may have stored it. */
function show(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '?')
}

function text(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value !== '' ? value : otherwise
}

/** Joins words like "notes, data and rate". */
function list(value: unknown, otherwise: string): string {
  const words = Array.isArray(value) ? value.map(show) : []
  if (words.length < 2) return words[0] ?? otherwise
  return `${words.slice(0, -1).join(', ')} and ${words.at(-1)}`
}

function number(value: unknown): string {
  return /^\d{1,15}$/.test(show(value)) ? Number(value).toLocaleString('en-US') : show(value)
}

/** Formats Unix seconds in UTC, such as "2026-11-15 23:00 UTC". */
function instant(seconds: unknown): string {
  if (!/^\d{1,11}$/.test(show(seconds))) return show(seconds)
  const at = Temporal.Instant.fromEpochMilliseconds(Number(seconds) * 1000)
  return at.toString({ smallestUnit: 'minute' }).replace('T', ' ').replace('Z', ' UTC')
}

function span(seconds: number): string {
  const units = [
    [86_400, 'day'],
    [3_600, 'hour'],
    [60, 'minute'],
    [1, 'second'],
  ] as const
  const [size, name] = units.find(([unit]) => seconds % unit === 0) ?? units[3]
  const count = seconds / size
  return `${number(count)} ${name}${count === 1 ? '' : 's'}`
}
