import type { KeyView } from '@tallystick/core'
import { parseLimit } from '../parts/format.ts'

/** Members of a key as they are typed. */
export type KeyTexts = {
  readonly name: string
  readonly scopes: readonly string[]
  readonly rpm: string
  readonly burst: string
  readonly quotaPerDay: string
  readonly quotaPerMonth: string
  readonly allow: string
  /** UTC date, or empty. */
  readonly expires: string
}

export type NumberMember = 'rpm' | 'burst' | 'quotaPerDay' | 'quotaPerMonth'

/** Most of each limit that the service accepts. */
const most: Readonly<Record<NumberMember, number>> = {
  rpm: 1_000_000,
  burst: 10_000,
  quotaPerDay: 1_000_000_000,
  quotaPerMonth: 1_000_000_000,
}

/** Returns the texts of a key. */
export function textsOf(key: KeyView): KeyTexts {
  const textOf = (limit: number | null) => (limit === null ? '' : String(limit))
  return {
    name: key.name,
    scopes: key.scopes,
    rpm: textOf(key.rpm),
    burst: textOf(key.burst),
    quotaPerDay: textOf(key.quotaPerDay),
    quotaPerMonth: textOf(key.quotaPerMonth),
    allow: (key.allow ?? []).join('\n'),
    expires: key.expiresAt?.slice(0, 10) ?? '',
  }
}

/** Parses the texts of a new key. Throws an error that says what is wrong. */
export function parseKey({ name, scopes, expires, ...texts }: KeyTexts) {
  return {
    name,
    scopes,
    ...parseLimits(texts),
    expiresAt: expires === '' ? null : `${expires}T00:00:00Z`,
  }
}

/** Returns the members that differ from those of the key, so that no other one is written. Throws if there are none. */
export function findChanges(key: KeyView, texts: KeyTexts): Partial<ReturnType<typeof parseKey>> {
  const before = textsOf(key)
  const next = parseKey(texts)
  const isChanged = (member: string) => {
    const name = (member === 'expiresAt' ? 'expires' : member) as keyof KeyTexts
    return String(before[name]).trim() !== String(texts[name]).trim()
  }
  const changes = Object.entries(next).filter(([member]) => isChanged(member))
  if (changes.length === 0) throw new Error('Nothing is changed yet.')
  return Object.fromEntries(changes)
}

function parseLimits(texts: Pick<KeyTexts, NumberMember | 'allow'>) {
  const limitOf = (member: NumberMember) => parseLimit(texts[member], most[member])
  const networks = texts.allow.split(/[\s,]+/).filter((network) => network !== '')
  return {
    rpm: limitOf('rpm'),
    burst: limitOf('burst'),
    quotaPerDay: limitOf('quotaPerDay'),
    quotaPerMonth: limitOf('quotaPerMonth'),
    allow: networks.length === 0 ? null : networks,
  }
}
