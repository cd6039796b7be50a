import { fixedIncome, floatingIncome, partnerFee } from '@tallystick/core'
import type { Address } from 'viem'
import { decodeInteger, decodeMember, type Place } from '../decode/decode.ts'
import type { Connection } from '../http/connection.ts'
import { floatingAccumulator } from '../income/floating-accumulator.ts'
import { type FloatingIncomeDay, floatingIncomeList } from './fetch-floating-incomes.ts'
import { type Position, positionList } from './fetch-positions.ts'
import { type ChainError, queryData } from './query-data.ts'
import { type ChainRead, type PagedList, readChains, readRows, selectPage } from './read-pages.ts'

/** Earnings of a wallet on one chain, in the dollar token's smallest unit. */
export type Earnings = {
  /** Income of claimed positions. `net` is the income after fees. */
  readonly claimed: { readonly income: bigint; readonly fees: bigint; readonly net: bigint }
  /**
   * Income of held positions up to `at`, for the days whose floating income is known. A claim pays only these days: of a
   * matured position, see `claimability` before you claim it.
   */
  readonly accrued: {
    readonly fixed: bigint
    readonly floating: bigint
    readonly fees: bigint
    readonly net: bigint
  }
  readonly activePositions: number
  readonly activePrincipal: bigint
  /** Principal of all positions lent with the wallet as beneficiary. */
  readonly totalPrincipal: bigint
  /** Instant of the accrued income, Unix seconds. */
  readonly at: bigint
}

/** Earnings of a wallet on one chain, or why they are not available. */
export type ChainEarnings = { readonly chain: number } & (
  | { readonly earnings: Earnings; readonly errors?: undefined }
  | { readonly earnings: null; readonly errors: readonly ChainError[] }
)

const activePositionList: PagedList<Position> = {
  ...positionList,
  operation: 'FetchActivePositions',
  where: '{ currentOwner: $walletAddress, status: "Active", tokenId_lt: $below }',
}

// One query, so that nearly every wallet is read with one request. Further pages are read at its block: a position claimed
// between two queries would be counted twice or not at all.
const earningsQuery = `query FetchEarnings($account: ID!, $walletAddress: Bytes!, $below: BigInt!, $belowDay: Int!) {
  account(id: $account) { totalPrincipal totalIncome totalFees }
  ${selectPage(activePositionList)}
  ${selectPage({ ...floatingIncomeList, where: '{ day_lt: $belowDay }' })}
}`

type EarningsOptions = {
  readonly wallet: Address
  readonly chains: readonly number[]
  readonly at?: bigint | undefined
  readonly signal?: AbortSignal | undefined
}

export async function fetchEarnings(
  connection: Connection,
  { wallet, chains, at, signal }: EarningsOptions,
): Promise<readonly ChainEarnings[]> {
  const walletAddress = wallet.toLowerCase()
  const variables = {
    account: walletAddress,
    walletAddress,
    below: activePositionList.encodeCursor(activePositionList.aboveAll),
    belowDay: floatingIncomeList.encodeCursor(floatingIncomeList.aboveAll),
  }
  const results = await readChains({
    chains,
    readFirst: (asked) => queryData(connection, { query: earningsQuery, variables, chains: asked, signal }),
    readRest: async (first): Promise<ChainRead<Earnings>> => {
      const [positions, days] = await Promise.all([
        readRows(connection, { first, signal, list: activePositionList, variables: { walletAddress } }),
        readRows(connection, { first, signal, list: floatingIncomeList, variables: {} }),
      ])
      if (positions.errors) return positions
      if (days.errors) return days
      const parts = { positions: positions.value, days: days.value, at: at ?? first.serverTime }
      return { value: earningsOf(decodeAccount(first.data), parts) }
    },
  })
  return results.map(({ chain, value, errors }) =>
    errors ? { chain, earnings: null, errors } : { chain, earnings: value },
  )
}

type Account = { readonly totalPrincipal: bigint; readonly totalIncome: bigint; readonly totalFees: bigint }

/** Decodes an account. A wallet that never had a position has none. */
function decodeAccount(data: unknown): Account {
  const account: Place = decodeMember({ value: data, path: 'POST /data: data' }, 'account')
  if (account.value === null) return { totalPrincipal: 0n, totalIncome: 0n, totalFees: 0n }
  const integer = (name: string) => decodeInteger(decodeMember(account, name))
  return {
    totalPrincipal: integer('totalPrincipal'),
    totalIncome: integer('totalIncome'),
    totalFees: integer('totalFees'),
  }
}

type EarningParts = {
  readonly positions: readonly Position[]
  readonly days: readonly FloatingIncomeDay[]
  readonly at: bigint
}

function earningsOf(
  { totalPrincipal, totalIncome, totalFees }: Account,
  { positions, days, at }: EarningParts,
): Earnings {
  const accumulator = floatingAccumulator(days)
  const incomes = positions.map((position) => {
    const fixed = fixedIncome(position, at)
    const floating = floatingIncome(position, { instantSeconds: at, ...accumulator })
    const fees = partnerFee({ totalIncome: fixed + floating, partnerFeeBps: position.partnerFeeBPS })
    return { fixed, floating, fees, principal: position.principal }
  })
  const sum = (of: 'fixed' | 'floating' | 'fees' | 'principal') =>
    incomes.reduce((total, income) => total + income[of], 0n)
  const [fixed, floating, fees] = [sum('fixed'), sum('floating'), sum('fees')]
  return {
    claimed: { income: totalIncome, fees: totalFees, net: totalIncome - totalFees },
    accrued: { fixed, floating, fees, net: fixed + floating - fees },
    activePositions: positions.length,
    activePrincipal: sum('principal'),
    totalPrincipal,
    at,
  }
}
