import { eventTopics } from '@tallystick/contracts/event-topics'
import type { BlockLogs, Log } from '@tallystick/subgraph'
import fc from 'fast-check'
import {
  ann,
  bob,
  dailyIncome,
  log,
  pad,
  pool,
  positions,
  previousIncomes,
  startsAt,
  today,
  vault,
  zero,
} from '../../subgraph/test/protocol-logs.ts'
import { type BlockPlan, buildHistory } from './history.ts'

/** Random step: an event, three choices that it uses, and the break before it. Small numbers, so that it shrinks well. */
export type Step = readonly [kind: number, a: number, b: number, c: number, gap: number]

export const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.tuple(fc.nat(19), fc.nat(63), fc.nat(63), fc.nat(63), fc.nat(15)),
  { minLength: 1, maxLength: 20, size: 'max' },
)

export const listA = `0x${'7'.repeat(40)}`
export const listB = `0x${'8'.repeat(40)}`
const dollar = `0x${'9'.repeat(40)}`

const accounts = [ann, bob, vault, `0x${'00'.repeat(19)}01`, `0xff${'00'.repeat(19)}`, `0x${'ab'.repeat(20)}`]
const uintMax = 2n ** 256n - 1n
const amounts = [0n, 1n, 127n, 128n, 255n, 256n, 10n ** 18n, 1_234_567n * 10n ** 15n, 2n ** 255n, uintMax - 1n, uintMax]
const unknownPartner = BigInt(`0x${'5e'.repeat(32)}`)

type Token = { readonly id: bigint; isClaimed: boolean }

/** State of the contracts, as far as the next valid event depends on it. */
type Model = { readonly tokens: Token[]; readonly partners: bigint[]; nextToken: bigint; readonly lent: Set<bigint> }

/** Builds a history as the contracts can emit it. */
export function validHistory(random: readonly Step[]): readonly BlockLogs[] {
  return interpret(random, { isHostile: false })
}

/**
 * Builds a history of well-formed logs that the contracts would never emit: claims without a lend, changes of unknown
 * partners, lends of existing tokens. What no chain can have, and the mappings treat differently, is left out: a token that
 * is minted twice, or lent in another transaction of the block than the one that mints it.
 */
export function hostileHistory(random: readonly Step[]): readonly BlockLogs[] {
  return interpret(random, { isHostile: true })
}

function interpret(random: readonly Step[], { isHostile }: { readonly isHostile: boolean }): readonly BlockLogs[] {
  const model: Model = { tokens: [], partners: [], nextToken: 1n, lent: new Set() }
  const blocks: { transactions: Log[][]; timestamp: number }[] = [{ transactions: [[]], timestamp: startsAt }]
  for (const step of random) {
    const [, , , , gap] = step
    const current = blocks.at(-1)!
    if (gap > 9) {
      blocks.push({ transactions: [[]], timestamp: laterThan(current.timestamp, gap) })
      model.lent.clear()
    } else if (gap > 4 && !isHostile) current.transactions.push([])
    const hostile = isHostile ? hostileEvent(model, step) : undefined
    blocks
      .at(-1)!
      .transactions.at(-1)!
      .push(...(hostile ?? validEvent(model, step)))
  }
  return buildHistory(blocks satisfies readonly BlockPlan[])
}

/** Returns a later timestamp: often one next to a boundary between UTC days. */
function laterThan(timestamp: number, gap: number): number {
  const midnight = (Math.floor(timestamp / 86_400) + 1) * 86_400
  const candidates = [timestamp + 2, timestamp + 12, midnight - 1, midnight, midnight + 3 * 86_400]
  return candidates[(gap - 10) % candidates.length]!
}

function validEvent(model: Model, step: Step): readonly Log[] {
  const [kind, a, b, c] = step
  const active = model.tokens.filter(({ isClaimed }) => !isClaimed)
  const token = pick(active, a)
  if (kind <= 3 || (kind <= 8 && !token)) return lendNew(model, step)
  if (kind <= 6) return [transferOf(token!.id, { from: account(b), to: account(c) })]
  if (kind <= 8) return claimOf(token!, step)
  switch (kind) {
    case 9: {
      const id = BigInt(`0x${'c4'.repeat(31)}00`) + BigInt(model.partners.length)
      model.partners.push(id)
      const topics = [eventTopics.PartnerCreated, pad(account(a)), pad(account(b))]
      return [log(pool, { topics, words: [id, amount(c)] })]
    }
    case 10:
      return model.partners.length === 0 ? [] : [partnerChange(pick(model.partners, a)!, step)]
    case 11:
      return [
        log(pool, {
          topics: [
            pick(
              [eventTopics.MinLendLimitUpdated, eventTopics.MaxCouponLimitUpdated, eventTopics.MinMaturityLimitUpdated],
              a,
            )!,
          ],
          words: [amount(b)],
        }),
      ]
    case 12: {
      const topic = a % 2 === 0 ? eventTopics.Paused : eventTopics.Unpaused
      return [log(b % 2 === 0 ? pool : positions, { topics: [topic], words: [BigInt(account(c))] })]
    }
    case 13:
      return [log(pool, { topics: [eventTopics.FeedSignatureVerifier__SignerChanged, pad(account(a))], words: [] })]
    case 14:
    case 15:
      return [dailyIncome(today - (a % 8), [amount(b), amount(c)])]
    case 16:
      return [
        previousIncomes(
          today - (a % 8),
          Array.from({ length: b % 5 }, (_, day) => [amount(c + day), amount(b + day)]),
        ),
      ]
    case 17:
    case 18: {
      const topic = a % 3 === 0 ? eventTopics.RemovedFromDenylist : eventTopics.AddedToDenylist
      return [log(b % 2 === 0 ? listA : listB, { topics: [topic, pad(account(c))], words: [] })]
    }
    default:
      return [noise(step)]
  }
}

function lendNew(model: Model, [, a, b, c]: Step): readonly Log[] {
  const id = model.nextToken
  model.nextToken += a === 63 ? 2n ** 200n : 1n
  model.tokens.push({ id, isClaimed: false })
  model.lent.add(id)
  const beneficiary = account(a)
  // A recipient can send the token on while it is minted.
  const moves = b % 8 === 0 ? [transferOf(id, { from: beneficiary, to: account(c) })] : []
  const isSentOn = b % 16 === 0 ? [transferOf(id, { from: account(c), to: account(c + 1) })] : []
  const payment = log(dollar, { topics: [eventTopics.Transfer, pad(account(c)), pad(pool)], words: [amount(b)] })
  return [
    payment,
    transferOf(id, { from: zero, to: beneficiary }),
    ...moves,
    ...isSentOn,
    lendLog(id, { initiator: account(c), beneficiary, principal: amount(b), partner: partnerOf(model, c) }),
  ]
}

function partnerOf(model: Model, choice: number): bigint {
  if (choice % 3 === 0) return 0n
  return choice % 3 === 1 ? unknownPartner : (pick(model.partners, choice) ?? 0n)
}

function claimOf(token: Token, [, , b, c]: Step): readonly Log[] {
  token.isClaimed = true
  return [transferOf(token.id, { from: account(b), to: zero }), claimLog(token.id, [b, c])]
}

/** Returns events that the contracts would not emit, or undefined for a valid one. */
function hostileEvent(model: Model, step: Step): readonly Log[] | undefined {
  const [kind, a, b, c, gap] = step
  const unknown = 1_000_000n + BigInt(a)
  const token = pick(model.tokens, a)?.id ?? unknown
  if (gap % 3 !== 0) return undefined
  if (kind < 2) return [claimLog(a % 4 === 0 ? unknown : token, [b, c])]
  if (kind < 5)
    return [transferOf(a % 4 === 0 ? unknown : token, { from: account(b), to: c % 5 === 0 ? zero : account(c) })]
  if (kind < 7) {
    if (model.lent.has(token)) return undefined
    model.lent.add(token)
    return [lendLog(token, { initiator: zero, beneficiary: account(b), principal: amount(c), partner: unknownPartner })]
  }
  if (kind < 9) return [partnerChange(unknownPartner, step)]
  if (kind < 11) {
    const words = [BigInt(today), 96n, 192n, 2n, 1n, 2n, 1n, 3n]
    return [log(pool, { topics: [eventTopics.UpdatePreviousFloatingIncome], words })]
  }
  if (kind < 13) return [dailyIncome(2 ** 31 - 1 - (a % 3), [amount(b), amount(c)])]
  return undefined
}

function noise([, a, b, c]: Step): Log {
  const topics = [eventTopics.Transfer, pad(account(b)), pad(account(c))]
  switch (a % 4) {
    case 0:
      return log(dollar, { topics, words: [amount(b)] })
    case 1:
      return log(positions, { topics: [`0x${'8c'.repeat(32)}`, pad(account(b))], words: [amount(c)] })
    case 2:
      return log(pool, { topics: [eventTopics.AddedToDenylist, pad(account(b))], words: [] })
    default:
      return log(dollar, { topics: [eventTopics.Paused], words: [BigInt(account(b))] })
  }
}

function partnerChange(id: bigint, [, , b, c]: Step): Log {
  const { PartnerFeeChanged, PartnerOwnershipTransferred, PartnerVaultChanged } = eventTopics
  if (b % 3 === 0) return log(pool, { topics: [PartnerFeeChanged], words: [id, amount(c)] })
  const topic = b % 3 === 1 ? PartnerOwnershipTransferred : PartnerVaultChanged
  return log(pool, { topics: [topic, pad(account(c))], words: [id] })
}

function transferOf(id: bigint, { from, to }: { readonly from: string; readonly to: string }): Log {
  const tokenId = `0x${id.toString(16).padStart(64, '0')}`
  return log(positions, { topics: [eventTopics.Transfer, pad(from), pad(to), tokenId], words: [] })
}

function lendLog(
  id: bigint,
  terms: {
    readonly initiator: string
    readonly beneficiary: string
    readonly principal: bigint
    readonly partner: bigint
  },
): Log {
  const topics = [eventTopics.Lend, pad(terms.initiator), pad(terms.beneficiary)]
  return log(pool, {
    topics,
    words: [id, 2n ** 128n - 1n, terms.principal % 1_000n, terms.principal, terms.partner, 25n],
  })
}

function claimLog(id: bigint, [b, c]: readonly [number, number]): Log {
  const topics = [eventTopics.Claim, pad(account(b)), pad(account(c))]
  return log(pool, { topics, words: [id, 2_000_000_000n, 500n, 1_000n, amount(b), amount(c), 0n] })
}

function account(choice: number): string {
  return pick(accounts, choice)!
}

function amount(choice: number): bigint {
  return pick(amounts, choice)!
}

function pick<Item>(items: readonly Item[], choice: number): Item | undefined {
  return items[choice % items.length]
}
