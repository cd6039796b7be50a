import type { Abi, Address } from 'viem'

/** Accounts of a rejected transaction, so that the explanation can say whose account the contracts reject. */
export type RevertParties = { readonly sender: Address; readonly beneficiary: Address; readonly pool: Address }

/** Text of one error. It is not retryable unless it says so. */
export type Explanation = { readonly title: string; readonly message: string; readonly retryable?: boolean }

/** Returns the text of an error with its arguments, which are empty if only the selector is known. */
export type Explain = (args: readonly unknown[], parties: RevertParties | undefined) => Explanation

/** Returns an error of the contracts with its text. */
export function explain<const Error extends Extract<Abi[number], { readonly type: 'error' }>>(
  error: Error,
  explanation: Explanation | Explain,
) {
  return { error, explanation }
}

export const expiredPermit: Explanation = {
  title: 'The permit has expired',
  message: 'The deadline of the permit has passed. Sign a new one.',
}

export const invalidPermit: Explanation = {
  title: 'The permit is invalid',
  message:
    'The permit was not signed by the owner, was signed for something else, or was already used. Sign a new one with the wallet that sends the transaction.',
}

export const lowAllowance: Explanation = {
  title: 'The allowance is too low',
  message:
    'Approve the principal for the pool first, or lend with a permit. A permit can be used once: if you sent one, another transaction used it, so sign a new one.',
}

export const lowBalance: Explanation = {
  title: 'The balance is too low',
  message: 'The wallet holds fewer dollars than the amount. Use a smaller amount, or top up the wallet.',
}

export const notApproved: Explanation = {
  title: 'The position is not approved',
  message: 'Approve the position for the pool first, or claim with a permit.',
}

export const notOwner: Explanation = {
  title: 'The position is not yours',
  message: 'Only the wallet that holds a position can claim or transfer it. Send the transaction from that wallet.',
}

export const unknownPosition: Explanation = {
  title: 'The position does not exist',
  message: 'It was already claimed or never existed. Read the positions again.',
}

const canStillClaim =
  'It can neither lend nor receive. A position that it approved for the pool before it was listed can still be claimed to another beneficiary.'

export const denylisted: Explain = ([account], parties) => {
  const title = 'The account is on the denylist'
  if (typeof account !== 'string') {
    const message = `The sender, the receiver or the vault of the position’s partner is on the protocol’s denylist. ${canStillClaim} Contact the operator.`
    return { title, message }
  }
  const isListed = (party: string | undefined) => party?.toLowerCase() === account.toLowerCase()
  if (isListed(parties?.sender)) {
    const message = `Your account ${account} is on the protocol’s denylist. ${canStillClaim} Contact the operator.`
    return { title, message }
  }
  if (isListed(parties?.beneficiary)) {
    const message = `The beneficiary ${account} is on the protocol’s denylist and cannot receive. Choose another beneficiary.`
    return { title: 'The beneficiary is on the denylist', message }
  }
  if (parties && !isListed(parties.pool)) return denylistedVault(account)
  const message = `The account ${account} is on the protocol’s denylist. ${canStillClaim} If it is neither the sender nor the beneficiary, it is the vault of the position’s partner, and the partner’s owner must set another vault. Contact the operator.`
  return { title, message }
}

/** The only other account that a claim pays. */
function denylistedVault(vault: string): Explanation {
  const message = `The vault ${vault} of the position’s partner is on the protocol’s denylist and cannot receive the fee, so that the position cannot be claimed now. No funds are lost. Ask the partner to set another vault (setPartnerVault), then claim again.`
  return { title: 'The partner’s vault is on the denylist', message, retryable: true }
}
