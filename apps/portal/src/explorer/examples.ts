import { positionQuery } from '@tallystick/core'

export type Example = {
  readonly name: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Returns the example queries. The first is the one in the API specification. */
export function listExamples(wallet: string): readonly Example[] {
  return [
    {
      name: 'Positions of a wallet (specification)',
      query: positionQuery,
      variables: { walletAddress: wallet },
    },
    {
      name: 'Earnings of an account',
      query: `query Earnings($account: ID!) {
  account(id: $account) {
    activePositions
    activePrincipal
    totalPrincipal
    totalIncome
    totalFees
  }
}`,
      variables: { account: wallet },
    },
    {
      name: 'Floating income of the last 7 days',
      query: `{
  floatingIncomes(first: 7, orderBy: day, orderDirection: desc) {
    day
    floatingIncome
    accFloatingIncome
    updatedAt
  }
}`,
      variables: {},
    },
    {
      name: 'Pool and daily totals',
      query: `{
  pools {
    paused
    signer
    activePositions
    activePrincipal
    lastFloatingIncomeDay
  }
  protocolDays(first: 7, orderBy: day, orderDirection: desc) {
    day
    lent
    claimed
    income
    positionsOpened
  }
}`,
      variables: {},
    },
  ]
}
