import { parseAbi } from 'viem'

/** What this service reads of a pool. Another pool may lack some of the getters. */
export const poolAbi = parseAbi([
  'struct PriceFeed { uint128 maturityTimestamp; uint256 coupon; uint128 validAfter; uint128 validBefore; }',
  'struct Signature { uint8 v; bytes32 r; bytes32 s; }',
  'function validatePriceFeed(PriceFeed feed, Signature signature) view',
  'function DOMAIN_SEPARATOR() view returns (bytes32)',
  'function verifierSigner() view returns (address)',
  'function paused() view returns (bool)',
  'function minLendLimit() view returns (uint256)',
  'function maxCouponLimit() view returns (uint256)',
  'function minMaturityLimit() view returns (uint256)',
  'function isFloatingIncomeSynced() view returns (bool)',
  'function lastFloatingIncomeUpdateDay() view returns (uint256)',
  'function accFloatingIncome(uint256 day) view returns (uint256)',
  'function nonFungibleNotePosition() view returns (address)',
  'function positions() view returns (address)',
  'function paraUSD() view returns (address)',
  'function token() view returns (address)',
  'error FeedSignatureVerifier__FeedNotYetValid(uint128 validAfter)',
  'error FeedSignatureVerifier__FeedExpired(uint128 validBefore)',
  'error FeedSignatureVerifier__InvalidMaturityTimestamp(uint128 maturityTimestamp)',
  'error FeedSignatureVerifier__InvalidSignature()',
  'error FeedSignatureVerifier__InvalidSigner(address signer, address expectedSigner)',
  'error ReserveStabilityPool__InvalidCoupon()',
  'error ReserveStabilityPool__InvalidMaturity()',
  'error EnforcedPause()',
])
