import type { PortalChain } from '@tallystick/core'

/** What the URL of the view names. */
export type LendChoice = {
  readonly chain: PortalChain
  readonly tenorDays: number | undefined
  readonly partnerId: `0x${string}` | undefined
}

/** Reads the choice from the URL. A value that does not fit is left out, because anybody can make a link. */
export function readChoice(search: URLSearchParams, chains: readonly PortalChain[]): LendChoice {
  const chainText = search.get('chainid')
  const tenorText = search.get('maturity') ?? ''
  const partner = search.get('partner') ?? ''
  return {
    chain: chains.find(({ id }) => String(id) === chainText) ?? (chains[0] as PortalChain),
    tenorDays: /^[1-9]\d{0,3}$/.test(tenorText) ? Number(tenorText) : undefined,
    partnerId: /^0x[0-9a-f]{64}$/i.test(partner) ? (partner as `0x${string}`) : undefined,
  }
}

type LendLink = Partial<Omit<LendChoice, 'chain'>> & { readonly chainId: number }

/**
 * Returns the URL of a choice.
 *
 * @example
 * hrefOfLend({ chainId: 324, tenorDays: 30 }) // '/lend?chainid=324&maturity=30'
 */
export function hrefOfLend({ chainId, tenorDays, partnerId }: LendLink): string {
  const maturity = tenorDays === undefined ? '' : `&maturity=${tenorDays}`
  return `/lend?chainid=${chainId}${maturity}${partnerId === undefined ? '' : `&partner=${partnerId}`}`
}
