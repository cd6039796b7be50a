import type { Client } from 'viem'
import { runAction } from './action-context.ts'
import type {
  ClaimActionOptions,
  ClaimAllActionOptions,
  ClaimAllResult,
  ClaimResult,
  LendActionOptions,
  LendResult,
  TallystickActionsOptions,
} from './action-options.ts'
import { claim } from './claim.ts'
import { claimAll } from './claim-all.ts'
import { lend } from './lend.ts'

/** Actions that `tallystickActions` adds to a wallet client. They throw a `TransactionError`. */
export type TallystickActions = {
  /**
   * Lends on a note and returns the position. Uses a permit where token and wallet can, so that one transaction is enough.
   * Otherwise approves exactly the principal first, unless the allowance is enough.
   */
  lend(options: LendActionOptions): Promise<LendResult>
  /**
   * Claims a matured position and returns what it paid. Uses a permit where token and wallet can. If the pool does not have
   * the floating income of the maturity's day yet, it throws `income_not_reported`, because the rest would be lost.
   */
  claim(options: ClaimActionOptions): Promise<ClaimResult>
  /**
   * Claims several matured positions with as few transactions as possible and returns what each paid. If more than one is
   * not approved, the pool is approved for all positions of the account, because each single approval is a transaction.
   * Positions that cannot be claimed, or not in full yet, are left out and returned as `skipped`, each with its reason. If
   * that leaves none, the first reason is thrown.
   */
  claimAll(options?: ClaimAllActionOptions): Promise<ClaimAllResult>
}

/**
 * Adds `lend`, `claim` and `claimAll` to a wallet client of viem. Each asks for a permit or an approval, simulates the
 * transaction, sends it, waits for its receipt and reads the positions from it. Reads go through the wallet client's
 * transport. The actions of an account run one after another.
 *
 * @example
 * import { createWalletClient, custom } from 'viem'
 * const { notes } = await client.notes({ chainId: 324, maturity: 7 })
 * const walletClient = createWalletClient({ account: wallet, transport: custom(provider) }).extend(
 *   tallystickActions({ pools: { 324: pool }, client }),
 * )
 * try {
 *   const { hash, position } = await walletClient.lend({ note: notes[0]!, principal: 1000n * 10n ** 18n })
 *   console.log(hash, position.tokenId)
 * } catch (error) {
 *   if (!(error instanceof TransactionError)) throw error
 *   console.log(error.code, error.message)
 * }
 */
export function tallystickActions(defaults: TallystickActionsOptions = {}): (client: Client) => TallystickActions {
  return (client) => ({
    lend: (options) =>
      runAction({ client, defaults, options, chainId: options.note.chainId }, (context) => lend(context, options)),
    claim: (options) => runAction({ client, defaults, options }, (context) => claim(context, options)),
    claimAll: (options = {}) =>
      runAction({ client, defaults, options }, (context) => claimAll(context, { ...options, client: defaults.client })),
  })
}
