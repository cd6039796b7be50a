/** Coupons of a chain by tenor in days, of the last period that had notes. */
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

/** Requests `GET /portal/last-period`, which only the page uses, and returns its coupons by chain. */
export async function fetchLastPeriod(apiKey: string, signal: AbortSignal): Promise<ReadonlyMap<number, LastCoupons>> {
  const response = await fetch('/portal/last-period', { headers: { 'x-api-key': apiKey }, signal, redirect: 'error' })
  if (!response.ok) throw new Error(`The service responded with status ${response.status}.`)
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
