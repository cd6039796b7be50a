import { errorAbi } from '@tallystick/contracts'
import { encodeErrorResult, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { describeRevert } from './describe-revert.ts'

test.each([
  ['FeedSignatureVerifier__FeedNotYetValid(uint128)', '0xfe6e3778'],
  ['FeedSignatureVerifier__FeedExpired(uint128)', '0xb2da565b'],
  ['FeedSignatureVerifier__InvalidSigner(address,address)', '0x258b9f04'],
  ['FeedSignatureVerifier__InvalidSignature()', '0x1d84733b'],
  ['FeedSignatureVerifier__InvalidMaturityTimestamp(uint128)', '0x3995810a'],
  ['ReserveStabilityPool__InvalidCoupon()', '0x205d0928'],
  ['ReserveStabilityPool__InvalidMaturity()', '0xf5dbd880'],
  ['ReserveStabilityPool__InsufficientPrincipal()', '0xd7ebd839'],
  ['EnforcedPause()', '0xd93c0665'],
])('default: describes %s by the selector of the deployed pools', (signature, selector) => {
  expect(toFunctionSelector(signature)).toBe(selector)
  const words = signature.endsWith('()') ? 0 : signature.split(',').length
  const { reason, message } = describeRevert(`${selector as `0x${string}`}${'00'.repeat(32 * words)}`)
  expect(signature).toContain(`${reason}(`)
  expect(message).toContain(`(${reason})`)
})

test('behavior: the message about a wrong signer has both addresses', () => {
  const args = ['0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1', '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'] as const
  const data = encodeErrorResult({ abi: errorAbi, errorName: 'FeedSignatureVerifier__InvalidSigner', args })
  expect(describeRevert(data).message).toBe(
    `the pool accepts notes signed by ${args[1]}, but this one was signed by ${args[0]} (InvalidSigner)`,
  )
})

test.each([
  ['nothing', '0x', 'the contract reverted without a reason (is it a pool of this protocol?)'],
  ['less than a selector', '0x12', 'the contract reverted without a reason (is it a pool of this protocol?)'],
  ['another error', '0x12345678', 'the pool reverted with an unknown error (selector 0x12345678)'],
  ['a known one cut short', '0xfe6e3778', 'the pool reverted with an unknown error (selector 0xfe6e3778)'],
] as const)('error: describes %s as unknown', (_, data, message) => {
  expect(describeRevert(data)).toEqual({ reason: 'unknown', message })
})
