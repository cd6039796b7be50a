import { positionQuery } from '@tallystick/core/wire/position-query'

export type Example = {
  readonly name: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Queries to start from. The first is the one of the API's specification. */
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
      name: 'Floating income of the last days',
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
      name: 'The pool and its days',
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
