/** Text of one error. A message can name the arguments, which are empty if only the selector is known. */
export type Explanation = {
  readonly title: string
  readonly message: string | ((args: readonly unknown[]) => string)
  readonly retryable: boolean
}

export const expiredPermit: Explanation = {
  title: 'The permit has expired',
  message: 'The deadline of the permit has passed. Sign a new one.',
  retryable: false,
}

export const invalidPermit: Explanation = {
  title: 'The permit is invalid',
  message:
    'The permit was not signed by the owner, was signed for something else, or was already used. Sign a new one with the wallet that sends the transaction.',
  retryable: false,
}

export const lowAllowance: Explanation = {
  title: 'The allowance is too low',
  message:
    'Approve the principal for the pool first, or lend with a permit. A permit can be used once: if you sent one, another transaction used it, so sign a new one.',
  retryable: false,
}

export const lowBalance: Explanation = {
  title: 'The balance is too low',
  message: 'The wallet holds fewer dollars than the amount. Use a smaller amount, or top up the wallet.',
  retryable: false,
}

export const notApproved: Explanation = {
  title: 'The position is not approved',
  message: 'Approve the position for the pool first, or claim with a permit.',
  retryable: false,
}

export const notOwner: Explanation = {
  title: 'The position is not yours',
  message: 'Only the wallet that holds a position can claim or transfer it. Send the transaction from that wallet.',
  retryable: false,
}

export const unknownPosition: Explanation = {
  title: 'The position does not exist',
  message: 'It was already claimed or never existed. Read the positions again.',
  retryable: false,
}

export const denylisted: Explanation = {
  title: 'The account is on the denylist',
  message: ([account]) =>
    `The ${typeof account === 'string' ? `account ${account}` : 'sender or the receiver'} is on the protocol’s denylist. It cannot lend, receive or claim. Use another account, or contact the operator.`,
  retryable: false,
}
