/**
 * Example query of SPEC.md §4.2: a wallet's positions, newest first.
 *
 * @example
 * JSON.stringify({ query: positionQuery, variables: { walletAddress: wallet, chains: [324] } }) // a body for POST /data
 */
export const positionQuery = `query FetchAllPositions($walletAddress: Bytes!) {
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
