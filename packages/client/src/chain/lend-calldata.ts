import { lend, permitLend } from '@tallystick/contracts/pool-functions'
import type { Note } from '@tallystick/core'
import { type Address, encodeFunctionData, type Hex } from 'viem'
import { type Permit, splitPermit } from './permit-typed-data.ts'
import type { Call } from './simulate-call.ts'

/** Options of a lend on a note. */
export type LendOptions = {
  /** The pool contract on the note's chain. */
  readonly pool: Address
  readonly note: Note
  /** Receiver of the position. */
  readonly beneficiary: Address
  /** In the dollar token's smallest unit; at least the pool's `minLendLimit`. */
  readonly principal: bigint
  /** 32 bytes; no partner by default. */
  readonly partnerId?: Hex | undefined
  /** The partner's current fee in basis points. The pool rejects any other. */
  readonly partnerFeeBPS?: bigint | undefined
}

const noPartner: Hex = `0x${'00'.repeat(32)}`

/**
 * Returns the transaction that lends on a note. The pool takes the principal from the sender, who must approve it first;
 * `permitLendCalldata` needs no approval. Send it on the note's chain.
 *
 * @example
 * const { notes } = await client.notes({ chainId: 324, maturity: 7 })
 * const call = lendCalldata({ pool, note: notes[0]!, beneficiary: wallet, principal: 1000n * 10n ** 18n })
 * call.data.slice(0, 10) // => '0x1949f17e'
 */
export function lendCalldata(options: LendOptions): Call {
  const data = encodeFunctionData({ abi: [lend], args: lendArguments(options) })
  return { to: options.pool, data, value: 0n }
}

/**
 * Returns the transaction that lends on a note with a permit instead of an approval. Sign the result of
 * `permitLendTypedData`. Signer and sender must be the same.
 *
 * @example
 * import { privateKeyToAccount } from 'viem/accounts'
 * const account = privateKeyToAccount(`0x${'02'.repeat(32)}`)
 * const { notes } = await client.notes({ chainId: 324, maturity: 7 })
 * const lend = { pool, note: notes[0]!, beneficiary: account.address, principal: 1000n * 10n ** 18n }
 * const terms = { token: { address: token, name: 'Dollar', version: '1' }, owner: account.address, nonce: 0n }
 * const deadline = notes[0]!.validBefore
 * const signature = await account.signTypedData(permitLendTypedData({ ...lend, ...terms, chainId: 324, deadline }))
 * const call = permitLendCalldata({ ...lend, permit: { signature, deadline } })
 * call.data.slice(0, 10) // => '0xaa121ea9'
 */
export function permitLendCalldata({ permit, ...options }: LendOptions & { readonly permit: Permit }): Call {
  const args = [...lendArguments(options), splitPermit(permit.signature), permit.deadline] as const
  return { to: options.pool, data: encodeFunctionData({ abi: [permitLend], args }), value: 0n }
}

function lendArguments({ note, beneficiary, principal, partnerId = noPartner, partnerFeeBPS = 0n }: LendOptions) {
  const { maturityTimestamp, coupon, validAfter, validBefore, signature } = note
  return [
    { beneficiary, partnerId, partnerFeeBPS, principal },
    { maturityTimestamp, coupon, validAfter, validBefore },
    { v: signature.v, r: signature.r, s: signature.s },
  ] as const
}
