import { dollarTokenAbi, positionTokenAbi } from '@tallystick/contracts'
import type { Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { beforeAll, expect, test } from 'vitest'
import { lendCall, lentAt, maturesAt } from './calls.ts'
import {
  type Chain,
  chainId,
  dollars,
  findRefusal,
  readEvents,
  revertBeforeEach,
  type Signature,
  send,
  splitSignature,
  startApprovedChain,
} from './chain.ts'

const deadline = maturesAt + 10n

let chain: Chain
let ann: PrivateKeyAccount
let bob: PrivateKeyAccount
beforeAll(async () => {
  ;({ chain, ann, bob } = await startApprovedChain())
  return chain.stop
})
revertBeforeEach(() => chain)

test('behavior: permitLend needs no approval before it', async () => {
  // Earlier than the note's end, so that it is the permit that is late.
  const deadline = lentAt + 10n
  const permitSignature = await signDollarPermit(bob, { value: dollars(1_000), deadline })
  const call = await lendCall(chain, { lender: bob.address, at: lentAt })
  expect((await findRefusal(chain, call))?.[0]).toBe('ERC20InsufficientAllowance')
  const args = [...call.args, permitSignature, deadline]
  const receipt = await send(chain, { ...call, functionName: 'permitLend', args })
  expect(readEvents(chain, receipt).map(([of, event]) => `${of} ${event}`)).toEqual([
    'token Approval',
    'token Transfer',
    'positions Transfer',
    'pool Lend',
  ])
  const late = { ...call, functionName: 'permitLend', args, at: deadline + 1n }
  // The pool ignores a permit that fails, because it may have been used before. The allowance is missing then.
  expect((await findRefusal(chain, late))?.[0]).toBe('ERC20InsufficientAllowance')
  const { v, r, s } = permitSignature
  const permit = {
    to: chain.token,
    functionName: 'permit',
    args: [bob.address, chain.pool, dollars(1_000), deadline, v, r, s],
  }
  const direct = { ...permit, from: bob.address, at: deadline + 1n }
  expect(await findRefusal(chain, direct)).toEqual(['ERC2612ExpiredSignature', deadline])
})

test('behavior: permitClaim claims without an approval before it', async () => {
  await send(chain, await lendCall(chain, { lender: ann.address }))
  const receipt = await send(chain, await permitClaim(ann, 1n))
  const events = readEvents(chain, receipt).map(([of, event]) => `${of} ${event}`)
  expect(events[0]).toBe('positions Approval')
  expect(events.indexOf('positions Transfer')).toBeLessThan(events.indexOf('pool Claim'))
})

test('error: permitClaim does not claim with a permit that is late or another’s, nor for another sender', async () => {
  await send(chain, await lendCall(chain, { lender: ann.address }))
  const call = await permitClaim(ann, 1n)
  const unapproved = ['NonFungibleNotePosition__TokenNotApproved']
  expect(await findRefusal(chain, { ...call, at: deadline + 1n })).toEqual(unapproved)
  const byBob = await permitClaim(bob, 1n)
  expect(await findRefusal(chain, { ...byBob, from: ann.address })).toEqual(unapproved)
  // A permit does not name who is paid, so that nobody but the owner may bring it.
  const stolen = ['ReserveStabilityPool__NotTokenOwner']
  expect(await findRefusal(chain, { ...call, from: bob.address })).toEqual(stolen)
})

test('error: the position token names what is wrong with a permit', async () => {
  await send(chain, await lendCall(chain, { lender: ann.address }))
  const permit = async (signer: PrivateKeyAccount, at = maturesAt, tokenId = 1n) => {
    const [, , signature] = (await permitClaim(signer, tokenId)).args as [Hex, bigint, Signature]
    const args = [chain.pool, tokenId, deadline, signature.v, signature.r, signature.s]
    return findRefusal(chain, { from: bob.address, to: chain.positions, functionName: 'permit', args, at })
  }
  expect(await permit(ann)).toBeUndefined()
  expect(await permit(ann, deadline + 1n)).toEqual(['ERC721Permit__DeadlineExpired'])
  expect(await permit(bob)).toEqual(['ERC721Permit__InvalidSigner', bob.address, ann.address])
  expect(await permit(ann, maturesAt, 9n)).toEqual(['ERC721Permit__TokenIdDoesNotExist'])
})

test('behavior: a permit that was sent before by somebody else does not stop the loan', async () => {
  const permitSignature = await signDollarPermit(bob, { value: dollars(1_000), deadline })
  const { v, r, s } = permitSignature
  const args = [bob.address, chain.pool, dollars(1_000), deadline, v, r, s]
  await send(chain, { from: ann.address, to: chain.token, functionName: 'permit', args })
  const call = await lendCall(chain, { lender: bob.address, at: lentAt })
  const lend = { ...call, functionName: 'permitLend', args: [...call.args, permitSignature, deadline] }
  expect(readEvents(chain, await send(chain, lend)).at(-1)).toMatchObject(['pool', 'Lend', { initiator: bob.address }])
})

test('behavior: an authorization moves dollars once, and not after it was canceled', async () => {
  const authorize = async (primaryType: keyof typeof authorizations, nonce: Hex) => {
    const window = { validAfter: 0n, validBefore: deadline }
    const message =
      primaryType === 'CancelAuthorization'
        ? { authorizer: ann.address, nonce }
        : { from: ann.address, to: bob.address, value: 1n, ...window, nonce }
    const domain = { name: 'Tallystick Dollar', version: '1', chainId, verifyingContract: chain.token }
    const signature = await ann.signTypedData({ domain, types: authorizations, primaryType, message } as never)
    const functionName = primaryType.charAt(0).toLowerCase() + primaryType.slice(1)
    const { v, r, s } = splitSignature(signature)
    const args = [...Object.values(message), v, r, s]
    return { from: bob.address, to: chain.token, functionName, args }
  }
  const first = await authorize('TransferWithAuthorization', `0x${'01'.repeat(32)}`)
  expect(readEvents(chain, await send(chain, first)).map(([, event]) => event)).toEqual([
    'AuthorizationUsed',
    'Transfer',
  ])
  expect(await findRefusal(chain, first)).toEqual(['ERC20Base__InvalidSignature'])
  const second = await authorize('ReceiveWithAuthorization', `0x${'02'.repeat(32)}`)
  expect((await findRefusal(chain, { ...second, from: ann.address }))?.[0]).toBe('ERC20Base__InvalidSigner')
  expect(await findRefusal(chain, { ...second, at: deadline })).toEqual(['ERC2612ExpiredSignature', deadline])
  expect(await findRefusal(chain, second)).toBeUndefined()
  await send(chain, await authorize('CancelAuthorization', `0x${'02'.repeat(32)}`))
  expect(await findRefusal(chain, second)).toEqual(['ERC20Base__InvalidSignature'])
})

const transferTerms = [
  { name: 'from', type: 'address' },
  { name: 'to', type: 'address' },
  { name: 'value', type: 'uint256' },
  { name: 'validAfter', type: 'uint256' },
  { name: 'validBefore', type: 'uint256' },
  { name: 'nonce', type: 'bytes32' },
] as const
/** EIP-3009. */
const authorizations = {
  TransferWithAuthorization: transferTerms,
  ReceiveWithAuthorization: transferTerms,
  CancelAuthorization: [
    { name: 'authorizer', type: 'address' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

async function permitClaim(signer: PrivateKeyAccount, tokenId: bigint) {
  const positions = { address: chain.positions, abi: positionTokenAbi } as const
  const nonce = await chain.client.readContract({ ...positions, functionName: 'nonces', args: [tokenId] })
  const signature = await signer.signTypedData({
    domain: { name: 'Tallystick Position', version: '1', chainId, verifyingContract: chain.positions },
    types: positionPermit,
    primaryType: 'Permit',
    message: { spender: chain.pool, tokenId, nonce, deadline },
  })
  const args = [signer.address, tokenId, splitSignature(signature), deadline]
  return { from: signer.address, to: chain.pool, functionName: 'permitClaim', args, at: maturesAt }
}

const positionPermit = {
  Permit: [
    { name: 'spender', type: 'address' },
    { name: 'tokenId', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

/** EIP-2612. */
const dollarPermit = {
  Permit: [
    { name: 'owner', type: 'address' },
    { name: 'spender', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'nonce', type: 'uint256' },
    { name: 'deadline', type: 'uint256' },
  ],
} as const

async function signDollarPermit(
  signer: PrivateKeyAccount,
  permit: { readonly value: bigint; readonly deadline: bigint },
) {
  const owner = signer.address
  const token = { address: chain.token, abi: dollarTokenAbi } as const
  const nonce = await chain.client.readContract({ ...token, functionName: 'nonces', args: [owner] })
  const signature = await signer.signTypedData({
    domain: { name: 'Tallystick Dollar', version: '1', chainId, verifyingContract: chain.token },
    types: dollarPermit,
    primaryType: 'Permit',
    message: { owner, spender: chain.pool, nonce, ...permit },
  })
  return splitSignature(signature)
}
