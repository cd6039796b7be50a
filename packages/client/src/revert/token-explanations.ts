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

/** Explanations of the errors of the position token and the dollar, and of the pause that all contracts have. */
export const tokenExplanations = [
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
