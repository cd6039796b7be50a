import * as errors from '@tallystick/contracts/errors'
import {
  denylisted,
  type Explanation,
  expiredPermit,
  explain,
  invalidPermit,
  lowAllowance,
  lowBalance,
  notApproved,
  notOwner,
  type RevertParties,
  unknownPosition,
} from './explanation.ts'

/** Errors of the contracts with their explanations. */
export const explained = [
  // The pool, about notes, loans, claims and floating incomes.
  explain(errors.FeedSignatureVerifier__FeedNotYetValid, {
    title: 'The note is not valid yet',
    message: 'The chain has not reached the first second of this note. Try again in a few seconds.',
    retryable: true,
  }),
  explain(errors.FeedSignatureVerifier__FeedExpired, {
    title: 'The note has expired',
    message: 'Notes change at 00:00 and 18:00 New York time. Fetch the current notes and lend on one of them.',
  }),
  explain(errors.FeedSignatureVerifier__InvalidSigner, {
    title: 'The note was not signed by the pool’s signer',
    message:
      'The note was signed by another key, for another pool or chain, or was altered. Do not use it. Fetch the current notes. If it happens again, contact the operator.',
  }),
  explain(errors.FeedSignatureVerifier__InvalidSignature, {
    title: 'The note’s signature is invalid',
    message: 'No key can produce this signature. Send r, s and v exactly as the note contains them.',
  }),
  explain(errors.FeedSignatureVerifier__InvalidMaturityTimestamp, {
    title: 'The note has matured',
    message: 'The note’s maturity is in the past. Fetch the current notes and lend on one of them.',
  }),
  explain(errors.FeedSignatureVerifier__ExpiredSignature, {
    title: 'The signature has expired',
    message: 'The note or the permit has expired. Fetch the current notes, and sign a new permit if you use one.',
  }),
  explain(errors.ReserveStabilityPool__InvalidCoupon, {
    title: 'The pool does not accept this coupon',
    message: 'The coupon is zero or above the pool’s limit. Contact the operator: such a note should not be on offer.',
  }),
  explain(errors.ReserveStabilityPool__InvalidMaturity, {
    title: 'The note matures too soon',
    message: 'The pool requires more time between lending and maturity. Choose a longer tenor.',
  }),
  explain(errors.ReserveStabilityPool__InsufficientPrincipal, {
    title: 'The amount is too small',
    message: 'The amount is below the pool’s minLendLimit. Lend more.',
  }),
  explain(errors.ReserveStabilityPool__PartnerFeeChanged, {
    title: 'The partner’s fee has changed',
    message: 'The partner’s fee has changed since it was agreed to. Read it again and ask for consent.',
  }),
  explain(errors.ReserveStabilityPool__MaturityNotPassed, {
    title: 'The position has not matured',
    message: 'A position can be claimed from its maturity on. Try again then.',
    retryable: true,
  }),
  explain(errors.ReserveStabilityPool__MaturityPassed, {
    title: 'The maturity has passed',
    message: 'This is possible only before maturity. Claim the position, or lend on a current note.',
  }),
  explain(errors.ReserveStabilityPool__NotTokenOwner, notOwner),
  explain(errors.ReserveStabilityPool__TokenNotApproved, notApproved),
  explain(errors.ReserveStabilityPool__TokenAlreadyApproved, {
    title: 'The position is already approved',
    message: 'The pool may already take the position, so the permit is not needed. Claim without a permit.',
  }),
  explain(errors.ReserveStabilityPool__InsufficientAllowance, lowAllowance),
  explain(errors.ReserveStabilityPool__FloatingIncomeNotSynced, {
    title: 'The floating income is not up to date',
    message:
      'A day’s floating income is missing in the pool. Try again after it was reported. A reporter must first report the missing days, and may not raise a day’s sum above that of the next day.',
    retryable: true,
  }),
  explain(errors.ReserveStabilityPool__ArrayLengthMismatch, {
    title: 'The lists differ in length',
    message: 'Pass exactly one beneficiary per position, or one income per day.',
  }),
  explain(errors.ReserveStabilityPool__IncorrectAmount, {
    title: 'The amount is incorrect',
    message: 'The transferred amount is not the expected one. Read the amounts again and send a new transaction.',
  }),
  explain(errors.ReserveStabilityPool__ZeroAddress, {
    title: 'The address is missing',
    message: 'An address of the call is zero. Pass a beneficiary, vault or owner that exists.',
  }),
  explain(errors.ReserveStabilityPool__ZeroAmount, {
    title: 'The amount is zero',
    message: 'A number of the call is zero. Pass a positive amount, limit, day or number of days.',
  }),
  explain(errors.ReserveStabilityPool__TransferFromFailed, {
    title: 'The transfer to the pool failed',
    message: 'The dollar token did not transfer the principal. Check the balance and the allowance of the wallet.',
  }),
  explain(errors.ReserveStabilityPool__ClaimMintFailed, {
    title: 'The payment of the claim failed',
    message: 'The dollar token did not mint the income. No funds are lost. Contact the operator.',
  }),
  explain(errors.ReserveStabilityPool__DailyFloatingIncomeAlreadyUpdated, {
    title: 'The floating income of yesterday was already reported',
    message: 'The pool accepts it once. Correct it with updatePreviousFloatingIncome.',
  }),
  explain(errors.ReserveStabilityPool__PreviousDayNotUpdated, {
    title: 'The floating income of an earlier day is missing',
    message: 'Report the missing days with updatePreviousFloatingIncome first.',
  }),
  explain(errors.ReserveStabilityPool__UpdateDayIsNotValid, {
    title: 'The day of the floating income is not over',
    message: 'Only days before today (UTC) can be reported. Check the first day and the number of days.',
  }),
  explain(errors.ReserveStabilityPool__InvalidInputParameter, {
    title: 'The days of the floating income are missing',
    message: 'The first day or the number of days is zero. Pass the first day to report and how many follow.',
  }),
  // The position token and the dollar, and the pause that all contracts have.
  explain(errors.EnforcedPause, {
    title: 'The protocol is paused',
    message:
      'The pool, the position token or the dollar is paused. Lending, claiming and transfers are suspended. No funds are lost. Try again later.',
    retryable: true,
  }),
  explain(errors.NonFungibleNotePosition__Denylisted, denylisted),
  explain(errors.NonFungibleNotePosition__TokenNotApproved, notApproved),
  explain(errors.ERC721Permit__DeadlineExpired, expiredPermit),
  explain(errors.ERC721Permit__InvalidSignature, invalidPermit),
  explain(errors.ERC721Permit__InvalidSigner, invalidPermit),
  explain(errors.ERC721Permit__TokenIdDoesNotExist, unknownPosition),
  explain(errors.ERC721Permit__Unauthorized, {
    title: 'The permit does not allow this',
    message:
      'Only the holder of a position, or an account the holder approved, can use its permit. Sign a new one with the wallet that holds the position.',
  }),
  explain(errors.ERC721NonexistentToken, unknownPosition),
  explain(errors.ERC721InvalidReceiver, {
    title: 'The receiver cannot hold a position',
    message:
      'The receiver of the position is the zero address, or a contract that does not accept EIP-721 tokens. Choose another beneficiary or receiver.',
  }),
  explain(errors.AccessControlUnauthorizedAccount, unauthorized),
  explain(errors.ERC721InsufficientApproval, notApproved),
  explain(errors.ERC721IncorrectOwner, notOwner),
  explain(errors.ParabolUSD__Denylisted, denylisted),
  explain(errors.ParabolUSD__InsufficientBalance, lowBalance),
  explain(errors.ParabolUSD__InvalidAmount, {
    title: 'The amount is above the dollar’s mint limit',
    message:
      'The dollar mints at most its maxMintLimit() in one call, and the income of this claim is larger. No funds are lost. Try again after the operator has raised the limit.',
    retryable: true,
  }),
  explain(errors.ERC20Base__InvalidSignature, invalidPermit),
  explain(errors.ERC20Base__InvalidSigner, invalidPermit),
  explain(errors.ERC20InsufficientAllowance, lowAllowance),
  explain(errors.ERC20InsufficientBalance, lowBalance),
  explain(errors.ERC2612ExpiredSignature, expiredPermit),
  explain(errors.ERC2612InvalidSigner, invalidPermit),
  // The pool, about partners.
  explain(errors.PartnerFeeManager__PartnerIdNotExists, {
    title: 'The partner does not exist',
    message: 'No partner has this id on this pool. Check partnerId, or lend without a partner.',
  }),
  explain(errors.PartnerFeeManager__InvalidFee, {
    title: 'The partner’s fee is invalid',
    message: 'The fee is above the maximum. Choose a lower one.',
  }),
  explain(errors.PartnerFeeManager__NotPartnerOwner, {
    title: 'The partner is not yours',
    message: 'Only the owner of a partner can change it. Send the transaction from that wallet.',
  }),
  explain(errors.PartnerFeeManager__SameFee, {
    title: 'The partner already has this fee',
    message: 'Nothing would change. Pass another fee.',
  }),
  explain(errors.PartnerFeeManager__SameVaultAddress, {
    title: 'The partner already has this vault',
    message: 'Nothing would change. Pass another vault.',
  }),
  explain(errors.PartnerFeeManager__SameOwner, {
    title: 'The partner already has this owner',
    message: 'Nothing would change. Pass another owner.',
  }),
  explain(errors.PartnerFeeManager__ZeroAddress, {
    title: 'The partner’s address is missing',
    message: 'The vault or the new owner of a partner is the zero address. Pass an account that exists.',
  }),
]

/**
 * Explains a missing role. A lender meets it if a role of the pool itself was taken away: then nothing can be lent or claimed
 * until the operator gives it back.
 */
function unauthorized([account, role]: readonly unknown[], parties: RevertParties | undefined): Explanation {
  const title = 'The account lacks a role'
  const who =
    typeof account === 'string' ? `The account ${account} lacks the role ${role}.` : 'An account lacks a role.'
  const isSender = parties?.sender.toLowerCase() === String(account).toLowerCase()
  if (isSender) return { title, message: `${who} Only an account with this role can do this.` }
  const message = `${who} If it is not your account, it is a contract of the protocol whose role was taken away: for example, the pool may not mint the income of a claim. No funds are lost. Contact the operator, and try again when the role is back.`
  return { title, message, retryable: parties !== undefined }
}
