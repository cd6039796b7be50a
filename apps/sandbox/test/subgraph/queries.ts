import type { Subgraph } from '@tallystick/subgraph'
import { expect } from 'vitest'

/** The specification's position query, word for word. */
export const fetchAllPositions = `query FetchAllPositions($walletAddress: Bytes!) {
  positionInfos(where: { currentOwner: $walletAddress }, orderBy: tokenId, orderDirection: desc) {
    tokenId
    owner: currentOwner
    initalOwner
    initiator
    coupon
    principal
    lendTimestamp
    maturityTimestamp
    partnerFeeBPS
    partnerId
    status
    lendTransactionHash
  }
}`

const position = `id tokenId currentOwner initalOwner initiator coupon principal lendTimestamp maturityTimestamp
  partnerFeeBPS partnerId status lendTransactionHash account { id } partner { id } pool { id }
  claimTimestamp claimTransactionHash claimBeneficiary totalIncome fee`

/** Everything there is, at the head or at a block. */
function everything(block?: number): string {
  const at = block === undefined ? 'first: 1000' : `first: 1000, block: { number: ${block} }`
  return `{
    positionInfos(${at}, orderBy: tokenId) { ${position} }
    accounts(${at}) { id activePositions activePrincipal totalPrincipal totalIncome totalFees denylisted denylistedBy
      positions(first: 1000, orderBy: tokenId) { id } }
    partners(${at}) { id owner vault feeBPS activePrincipal totalFees positions(first: 1000, orderBy: tokenId) { id } }
    floatingIncomes(${at}, orderBy: day) { id day floatingIncome accFloatingIncome updatedAt }
    pools(${at}) { id paused positionTokenPaused signer denylister dollarDenylister minLendLimit maxCouponLimit minMaturityLimit
      activePositions activePrincipal totalPrincipal totalIncome totalFees lastFloatingIncomeDay }
    protocolDays(${at}, orderBy: day) { id day lent claimed income positionsOpened positionsClosed activePrincipal }
  }`
}

type Reference = { readonly id: string }
type Texts<Name extends string> = Readonly<Record<Name, string>>
type Totals = Texts<'activePrincipal' | 'totalPrincipal' | 'totalIncome' | 'totalFees'>

export type Everything = {
  readonly positionInfos: readonly (Texts<
    | 'id'
    | 'tokenId'
    | 'currentOwner'
    | 'initalOwner'
    | 'initiator'
    | 'coupon'
    | 'principal'
    | 'lendTimestamp'
    | 'maturityTimestamp'
    | 'partnerFeeBPS'
    | 'partnerId'
    | 'status'
    | 'lendTransactionHash'
  > &
    Readonly<
      Record<'claimTimestamp' | 'claimTransactionHash' | 'claimBeneficiary' | 'totalIncome' | 'fee', string | null>
    > & { readonly account: Reference; readonly partner: Reference | null; readonly pool: Reference })[]
  readonly accounts: readonly (Texts<'id'> &
    Totals & {
      readonly activePositions: number
      readonly denylisted: boolean
      readonly denylistedBy: readonly string[]
      readonly positions: readonly Reference[]
    })[]
  readonly partners: readonly (Texts<'id' | 'owner' | 'vault' | 'feeBPS' | 'activePrincipal' | 'totalFees'> & {
    readonly positions: readonly Reference[]
  })[]
  readonly floatingIncomes: readonly (Texts<'id' | 'floatingIncome' | 'accFloatingIncome' | 'updatedAt'> & {
    readonly day: number
  })[]
  readonly pools: readonly (Texts<'id'> &
    Totals &
    Readonly<
      Record<
        'signer' | 'denylister' | 'dollarDenylister' | 'minLendLimit' | 'maxCouponLimit' | 'minMaturityLimit',
        string | null
      >
    > & {
      readonly paused: boolean
      readonly positionTokenPaused: boolean
      readonly activePositions: number
      readonly lastFloatingIncomeDay: number | null
    })[]
  readonly protocolDays: readonly (Texts<'id' | 'lent' | 'claimed' | 'income' | 'activePrincipal'> &
    Readonly<Record<'day' | 'positionsOpened' | 'positionsClosed', number>>)[]
}

export async function readEverything(subgraph: Subgraph, block?: number): Promise<Everything> {
  return (await ask(subgraph, { query: everything(block) })) as Everything
}

/** The data of an answer; an answer with errors fails the test. */
export async function ask(subgraph: Subgraph, request: Parameters<Subgraph['execute']>[0]): Promise<unknown> {
  const result = await subgraph.execute(request)
  expect(result.errors).toBeUndefined()
  return result.data
}
