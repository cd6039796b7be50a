import { dollarTokenAbi, positionTokenAbi } from '@tallystick/contracts'
import type { Hex } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { lendCall, lentAt, maturesAt, transferPosition } from './calls.ts'
import { type Chain, chainId, dollars, findRefusal, readEvents, send, splitSignature, startChain } from './chain.ts'

const deadline = maturesAt + 10n

let chain: Chain
let snapshot: Hex
let ann: PrivateKeyAccount
let bob: PrivateKeyAccount
beforeAll(async () => {
  chain = await startChain()
  ;[ann, bob] = chain.wallets as [PrivateKeyAccount, PrivateKeyAccount]
  const approve = { to: chain.token, functionName: 'approve', args: [chain.pool, dollars(1_000_000)] }
  await send(chain, { ...approve, from: ann.address })
})
afterAll(() => chain.stop())
beforeEach(async () => {
  if (snapshot) await chain.client.revert({ id: snapshot })
  snapshot = await chain.client.snapshot()
})

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
  expect(await findRefusal(chain, late)).toEqual(['ERC2612ExpiredSignature', deadline])
})

test('behavior: permitClaim claims without an approval before it', async () => {
  await send(chain, await lendCall(chain, { lender: ann.address }))
  const receipt = await send(chain, await permitClaim(ann, 1n))
  const events = readEvents(chain, receipt).map(([of, event]) => `${of} ${event}`)
  expect(events[0]).toBe('positions Approval')
  expect(events.indexOf('positions Transfer')).toBeLessThan(events.indexOf('pool Claim'))
})

test('error: permitClaim refuses a permit that is late, another’s, or from before a transfer', async () => {
  await send(chain, await lendCall(chain, { lender: ann.address }))
  const call = await permitClaim(ann, 1n)
  const late = { ...call, at: deadline + 1n }
  expect(await findRefusal(chain, late)).toEqual(['PositionToken__PermitExpired', deadline])
  const byBob = await permitClaim(bob, 1n)
  const notByOwner = ['PositionToken__PermitNotByOwner', bob.address, ann.address]
  expect(await findRefusal(chain, { ...byBob, from: ann.address })).toEqual(notByOwner)
  // A permit does not name who is paid, so that nobody but the owner may bring it.
  const stolen = ['ReserveStabilityPool__NotPositionOwner', 1n, bob.address]
  expect(await findRefusal(chain, { ...call, from: bob.address })).toEqual(stolen)
  await send(chain, transferPosition(chain, ann.address, [bob.address, 1n]))
  await send(chain, transferPosition(chain, bob.address, [ann.address, 1n]))
  expect((await findRefusal(chain, call))?.[0]).toBe('PositionToken__PermitNotByOwner')
})

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
