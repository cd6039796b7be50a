import {
  decodeBoolean,
  decodeCount,
  decodeDecimal,
  decodeList,
  decodeMember,
  decodeNullable,
  decodeString,
  type Place,
} from '../decode/decode.ts'
import type { Connection } from '../http/connection.ts'
import { requestJson } from '../http/request-json.ts'
import { decodeChainId, decodeCoupon, decodeTenor, type TenorCoupon } from '../notes/decode-notes.ts'
import { queryOf } from '../notes/fetch-notes.ts'

/** Figures of one chain in basis points per 360-day year; null if a rate is not available. */
export type RateFigures = {
  readonly fixedRates: readonly TenorCoupon[]
  /** Last floating income, annualised. */
  readonly floatingRate: bigint | null
  /** UTC day of that income: Unix seconds / 86400. */
  readonly floatingDay: number | null
  /** Fixed plus floating rate, by tenor in days. */
  readonly marketRates: readonly { readonly maturity: number; readonly rate: bigint }[]
}

/** Rates of one chain. */
export type ChainRate = RateFigures & {
  readonly chainId: number
  /**
   * Whether the pool accepts loans; `unknown` if the service cannot read it. A later version of the service may have further
   * ones: the pool accepts loans if it is `open`.
   */
  readonly status: 'open' | 'paused' | 'rejecting' | 'unknown' | (string & Record<never, never>)
  /** Reason for the status, and any other obstacle to lending, such as notes that the pool rejects. */
  readonly statusReason: string
  /** Whether yesterday's floating income is known, as the pool defines it. */
  readonly isProtocolSynced: boolean
  /** Reason for `isProtocolSynced`. */
  readonly syncReason: string
  /** Earliest time of the next floating income, Unix seconds; in the past while one is overdue. */
  readonly nextSyncExpectedAt: bigint
  /** Block of the floating income and its lag behind the clock. */
  readonly dataBlock: bigint | null
  readonly dataLagSeconds: number | null
}

/** Decoded body of `GET /rate`: the rates of the chain with the highest market rate, and the rates of each chain. */
export type RateAnswer = {
  readonly message: string
  /** Chain of `fixedRate`, `floatingRate` and `marketRate`; null if no chain has rates, or if the service does not say. */
  readonly chainId: number | null
  readonly fixedRate: bigint | null
  readonly floatingRate: bigint | null
  /** Total marginal market rate: fixed plus floating. */
  readonly marketRate: bigint | null
  /** True if every chain is synced. */
  readonly isProtocolSynced: boolean
  readonly chains: readonly ChainRate[]
}

/** Requests `GET /rate`. */
export async function fetchRate(
  connection: Connection,
  { chainId, signal }: { readonly chainId?: number | undefined; readonly signal?: AbortSignal | undefined },
): Promise<RateAnswer> {
  const { json } = await requestJson(connection, { path: `/rate${queryOf({ chainId })}`, signal })
  return decodeRate(json)
}

export function decodeRate(value: unknown): RateAnswer {
  const body: Place = { value, path: 'GET /rate: body' }
  return {
    message: decodeString(decodeMember(body, 'message')),
    chainId: decodeNullable(decodeMember(body, 'chainid'), decodeChainId),
    fixedRate: decodeNullable(decodeMember(body, 'fixedRate'), decodeDecimal),
    floatingRate: decodeNullable(decodeMember(body, 'floatingRate'), decodeDecimal),
    marketRate: decodeNullable(decodeMember(body, 'marketRate'), decodeDecimal),
    isProtocolSynced: decodeBoolean(decodeMember(body, 'isProtocolSynced')),
    chains: decodeList(decodeMember(body, 'chains'), decodeChainRate),
  }
}

function decodeChainRate(place: Place): ChainRate {
  return {
    chainId: decodeChainId(decodeMember(place, 'chainid')),
    status: decodeString(decodeMember(place, 'status')),
    statusReason: decodeString(decodeMember(place, 'statusReason')),
    ...decodeRateFigures(place),
    isProtocolSynced: decodeBoolean(decodeMember(place, 'isProtocolSynced')),
    syncReason: decodeString(decodeMember(place, 'syncReason')),
    nextSyncExpectedAt: decodeDecimal(decodeMember(place, 'nextSyncExpectedAt')),
    dataBlock: decodeNullable(decodeMember(place, 'dataBlock'), decodeDecimal),
    dataLagSeconds: decodeNullable(decodeMember(place, 'dataLagSeconds'), decodeCount),
  }
}

export function decodeRateFigures(place: Place): RateFigures {
  return {
    fixedRates: decodeList(decodeMember(place, 'fixedRates'), decodeCoupon),
    floatingRate: decodeNullable(decodeMember(place, 'floatingRate'), decodeDecimal),
    floatingDay: decodeNullable(decodeMember(place, 'floatingDay'), decodeCount),
    marketRates: decodeList(decodeMember(place, 'marketRates'), (item) => ({
      maturity: decodeTenor(decodeMember(item, 'maturity')),
      rate: decodeDecimal(decodeMember(item, 'rate')),
    })),
  }
}
