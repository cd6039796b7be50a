/** The coupons of the last period that had notes, on one chain: by tenor in days. */
export type LastCoupons = {
  readonly periodStart: bigint
  readonly periodEnd: bigint
  readonly coupons: ReadonlyMap<number, bigint>
}

type LastPeriodBody = {
  readonly data: readonly {
    readonly chainid: string
    readonly period_start: string
    readonly period_end: string
    readonly coupons: readonly { readonly maturity: number; readonly coupon: string }[]
  }[]
}

/** `GET /portal/last-period`, by chain. The page's own endpoint, so the client does not have it. */
export async function fetchLastPeriod(apiKey: string, signal: AbortSignal): Promise<ReadonlyMap<number, LastCoupons>> {
  const response = await fetch('/portal/last-period', { headers: { 'x-api-key': apiKey }, signal, redirect: 'error' })
  if (!response.ok) throw new Error(`The service answered with status ${response.status}.`)
  const { data } = (await response.json()) as LastPeriodBody
  return new Map(
    data.map(({ chainid, period_start, period_end, coupons }) => [
      Number(chainid),
      {
        periodStart: BigInt(period_start),
        periodEnd: BigInt(period_end),
        coupons: new Map(coupons.map(({ maturity, coupon }) => [maturity, BigInt(coupon)])),
      },
    ]),
  )
}
