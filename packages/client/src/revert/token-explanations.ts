import {
  denylisted,
  type Explain,
  type Explanation,
  expiredPermit,
  invalidPermit,
  lowAllowance,
  lowBalance,
  notApproved,
  notOwner,
  type RevertParties,
  unknownPosition,
} from './explanation.ts'
import type { RevertName } from './revert-abi.ts'

type TokenRevert = Exclude<
  RevertName,
  `FeedSignatureVerifier__${string}` | `ReserveStabilityPool__${string}` | `PartnerFeeManager__${string}`
>

/** Explanations of the errors of the position token and the dollar, and of the pause that all contracts have. */
export const tokenExplanations: Readonly<Record<TokenRevert, Explanation | Explain>> = {
  EnforcedPause: {
    title: 'The protocol is paused',
    message:
      'The pool, the position token or the dollar is paused. Lending, claiming and transfers are suspended. No funds are lost. Try again later.',
    retryable: true,
  },
  NonFungibleNotePosition__Denylisted: denylisted,
  NonFungibleNotePosition__TokenNotApproved: notApproved,
  ERC721Permit__DeadlineExpired: expiredPermit,
  ERC721Permit__InvalidSignature: invalidPermit,
  ERC721Permit__InvalidSigner: invalidPermit,
  ERC721Permit__TokenIdDoesNotExist: unknownPosition,
  ERC721Permit__Unauthorized: {
    title: 'The permit does not allow this',
    message:
      'Only the holder of a position, or an account the holder approved, can use its permit. Sign a new one with the wallet that holds the position.',
  },
  ERC721NonexistentToken: unknownPosition,
  ERC721InvalidReceiver: {
    title: 'The receiver cannot hold a position',
    message:
      'The receiver of the position is the zero address, or a contract that does not accept EIP-721 tokens. Choose another beneficiary or receiver.',
  },
  AccessControlUnauthorizedAccount: unauthorized,
  ERC721InsufficientApproval: notApproved,
  ERC721IncorrectOwner: notOwner,
  ParabolUSD__Denylisted: denylisted,
  ParabolUSD__InsufficientBalance: lowBalance,
  ParabolUSD__InvalidAmount: {
    title: 'The amount is above the dollar’s mint limit',
    message:
      'The dollar mints at most its maxMintLimit() in one call, and the income of this claim is larger. No funds are lost. Try again after the operator has raised the limit.',
    retryable: true,
  },
  ERC20Base__InvalidSignature: invalidPermit,
  ERC20Base__InvalidSigner: invalidPermit,
  ERC20InsufficientAllowance: lowAllowance,
  ERC20InsufficientBalance: lowBalance,
  ERC2612ExpiredSignature: expiredPermit,
  ERC2612InvalidSigner: invalidPermit,
}

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
