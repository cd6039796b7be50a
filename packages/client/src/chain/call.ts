import type { Address, Hex } from 'viem'

/** Transaction for `walletClient.sendTransaction(call)`. */
export type Call = { readonly to: Address; readonly data: Hex; readonly value: 0n }
