import type { Account, Address, Hash, Hex, TransactionReceipt } from 'viem'
import type { ClientError } from '../client-error.ts'
import type { Client as TallystickClient } from '../create-client.ts'
import type { Claimability } from '../income/claimability.ts'
import type { OfferedNote } from '../notes/decode-notes.ts'
import type { RevertExplanation } from '../revert/explain-revert.ts'

/** Options of `tallystickActions`. */
export type TallystickActionsOptions = {
  /** Pool by chain id, for actions without `pool`. It gets the money: take it from a source you trust. */
  readonly pools?: Readonly<Record<number, Address>> | undefined
  /** Tallystick client that finds the matured positions of `claimAll` without `tokenIds`. */
  readonly client?: Pick<TallystickClient, 'positions'> | undefined
  /**
   * Returns the service's time in Unix seconds, to reject an expired note even if the chain has had no block since. The time
   * of the newest block is always checked.
   */
  readonly now?: (() => bigint) | undefined
}

/**
 * Step of an action. `permit`: the wallet is asked for a signature. `approve`: the wallet is asked for an approval; with
 * `hash`, the approval was sent. `simulate`: the call is tested. `send`: the wallet is asked to send the transaction. `wait`:
 * it was sent; with `callsId`, a contract wallet took it and its owners have to sign. `done`: it was mined.
 */
export type ActionStep = {
  readonly kind: 'permit' | 'approve' | 'simulate' | 'send' | 'wait' | 'done'
  readonly hash?: Hash | undefined
  /** Id of a batch that is not executed yet (EIP-5792). A Safe's is its safeTxHash. */
  readonly callsId?: string | undefined
}

/** Options of every action. */
export type ActionOptions = {
  /** Pool on the wallet's chain; by default that of `pools`. */
  readonly pool?: Address | undefined
  /** Receiver of the position or the payment; by default the account. */
  readonly beneficiary?: Address | undefined
  /** Sender; by default the wallet client's account. */
  readonly account?: Account | Address | undefined
  readonly onStep?: ((step: ActionStep) => void) | undefined
  /** Stops the action before its next step. A transaction that was sent is still awaited. */
  readonly signal?: AbortSignal | undefined
  /** Blocks to wait for, including that of the transaction; 1 by default. With more, a reorg in them is detected. */
  readonly confirmations?: number | undefined
  /** Longest wait for each transaction; 180 by default, at most 2147483. The owners of a Safe may need hours to sign. */
  readonly timeoutSeconds?: number | undefined
}

/** Options of the action `lend`. */
export type LendActionOptions = ActionOptions & {
  readonly note: OfferedNote
  /** In the dollar token's smallest unit. */
  readonly principal: bigint
  /** Dollar token; by default the pool's. */
  readonly token?: Address | undefined
  readonly partnerId?: Hex | undefined
  /** The fee that the user agreed to, in basis points; by default the partner's present fee. */
  readonly partnerFeeBPS?: bigint | undefined
}

/** Option of both claiming actions for income that is not reported yet. */
export type ClaimConsent = {
  /**
   * Claims even if the pool does not have the floating income of the maturity's UTC day yet. The missing income is lost for
   * good. Without it, such a claim is refused with `income_not_reported`.
   */
  readonly acceptMissingIncome?: boolean | undefined
}

/** Options of the action `claim`. */
export type ClaimActionOptions = ActionOptions & ClaimConsent & { readonly tokenId: bigint }

/** Options of the action `claimAll`. */
export type ClaimAllActionOptions = ActionOptions &
  ClaimConsent & {
    /** By default all matured positions of the account, which `tallystickActions({ client })` finds. */
    readonly tokenIds?: readonly bigint[] | undefined
    /** Most claims in one transaction; 20 by default, 100 at most. */
    readonly batchSize?: number | undefined
  }

/** Position of a lend, as its receipt states it. It can be passed to `fixedIncome` and `claimability`. */
export type LentPosition = {
  readonly chainId: number
  readonly pool: Address
  readonly tokenId: bigint
  /** Receiver of the position. */
  readonly owner: Address
  readonly principal: bigint
  /** Basis points per 360-day year. */
  readonly coupon: bigint
  readonly lendTimestamp: bigint
  readonly maturityTimestamp: bigint
  readonly partnerId: Hex
  readonly partnerFeeBPS: bigint
}

/** Claimed position, as its receipt states it. */
export type ClaimedPosition = {
  readonly chainId: number
  readonly pool: Address
  readonly tokenId: bigint
  readonly beneficiary: Address
  readonly principal: bigint
  readonly totalIncome: bigint
  /** The partner's share of the income. */
  readonly fee: bigint
  /** What the beneficiary got: principal and income without the fee. */
  readonly paid: bigint
  readonly coupon: bigint
  readonly maturityTimestamp: bigint
  readonly partnerId: Hex
}

/** Mined transaction. */
export type MinedTransaction = {
  /** If the wallet repriced the transaction, the hash of the mined one. */
  readonly hash: Hash
  readonly receipt: TransactionReceipt
}

/** Result of the action `lend`. */
export type LendResult = MinedTransaction & { readonly position: LentPosition }

/** Result of the action `claim`. */
export type ClaimResult = MinedTransaction & { readonly position: ClaimedPosition }

/** Result of the action `claimAll`. */
export type ClaimAllResult = {
  readonly transactions: readonly MinedTransaction[]
  readonly positions: readonly ClaimedPosition[]
  /** Positions that were left out, each with its reason. They are still there. */
  readonly skipped: readonly SkippedPosition[]
}

/**
 * Position that `claimAll` left out, and the `TransactionError` that says why. Its code is `income_not_reported` if a claim
 * now would lose income, and `call_reverted` if the contracts reject it.
 */
export type SkippedPosition = {
  readonly tokenId: bigint
  readonly error: ClientError & {
    readonly explanation: RevertExplanation | undefined
    readonly claimability: Claimability | undefined
  }
}
