import type { Address, Hex } from 'viem'

/** A transaction to send as it is: `walletClient.sendTransaction(call)`. */
export type Call = { readonly to: Address; readonly data: Hex; readonly value: 0n }
