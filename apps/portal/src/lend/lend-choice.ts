import type { OfferedNote } from '@tallystick/client'
import type { PortalChain } from '@tallystick/core'
import { formatDollars, formatExact, parseDollars } from '@tallystick/ui'

/** What the URL of the view names. */
export type LendChoice = {
  readonly chain: PortalChain
  readonly tenorDays: number | undefined
  readonly partnerId: `0x${string}` | undefined
  /** In the token's smallest unit. */
  readonly amount: bigint | undefined
  /** What the URL names and the page does not have, each with what it shows instead. */
  readonly faults: readonly string[]
}

/** Amount of a link that names none. */
export const defaultAmount = 10_000n * 10n ** 18n

/** Reads the choice from the URL. A value that does not fit is a fault, because anybody can make a link. */
export function readChoice(search: URLSearchParams, chains: readonly PortalChain[]): LendChoice {
  const [chainText, tenorText, partner, amountText] = ['chainid', 'maturity', 'partner', 'amount'].map((name) =>
    search.get(name),
  ) as [string | null, string | null, string | null, string | null]
  const found = chains.find(({ id }) => String(id) === chainText)
  const chain = found ?? (chains[0] as PortalChain)
  const tenorDays = tenorText !== null && /^[1-9]\d{0,3}$/.test(tenorText) ? Number(tenorText) : undefined
  const partnerId = partner !== null && /^0x[0-9a-f]{64}$/i.test(partner) ? (partner as `0x${string}`) : undefined
  const { amount } = parseDollars(amountText ?? '')
  // Texts of a link are not repeated: they could say anything.
  const faults = [
    chainText !== null && !found && `a chain that this service does not have. Shown is ${chain.name}.`,
    tenorText !== null && tenorDays === undefined && 'a maturity that is not a number of days. Shown is another one.',
    partner !== null && partnerId === undefined && 'a partner that does not exist. Shown are the terms without one.',
    amountText !== null && amount === undefined && `no valid amount. Shown are $${formatDollars(defaultAmount)}.`,
  ].filter((fault) => fault !== false)
  return { chain, tenorDays, partnerId, amount, faults: faults.map((fault) => `The link names ${fault}`) }
}

type TenorChoice = {
  readonly tenorDays: number | undefined
  readonly chain: PortalChain
  /** Empty while nothing is known to be on offer. */
  readonly offered: readonly Pick<OfferedNote, 'tenorDays'>[]
  readonly chosen: Pick<OfferedNote, 'tenorDays'> | undefined
}

/** Returns the faults of a link, with that of a maturity that is not on offer. */
export function listFaults(faults: readonly string[], { tenorDays, chain, offered, chosen }: TenorChoice) {
  if (tenorDays === undefined || !chosen || offered.some((note) => note.tenorDays === tenorDays)) return faults
  const named = `The link names a maturity of ${tenorDays} ${tenorDays === 1 ? 'day' : 'days'}`
  return [...faults, `${named}, which is not on offer on ${chain.name}. Shown are ${chosen.tenorDays} days.`]
}

type OfferLink = Partial<Omit<LendChoice, 'chain' | 'faults'>> & { readonly chainId: number }

/**
 * Returns the URL of a choice.
 *
 * @example
 * hrefOfLend({ chainId: 324, tenorDays: 30 }) // '/lend?chainid=324&maturity=30'
 */
export function hrefOfLend(link: OfferLink): string {
  return `/lend?${formatQuery(link)}`
}

/** Returns the URL of a choice on the first view: a note and the amount of the calculator. */
export function hrefOfOverview(link: OfferLink): string {
  return `/?${formatQuery(link)}`
}

function formatQuery({ chainId, tenorDays, partnerId, amount }: OfferLink): string {
  const maturity = tenorDays === undefined ? '' : `&maturity=${tenorDays}`
  const dollars = amount === undefined ? '' : `&amount=${formatExact(amount).replaceAll(',', '').replace(/\.00$/, '')}`
  return `chainid=${chainId}${maturity}${dollars}${partnerId === undefined ? '' : `&partner=${partnerId}`}`
}
