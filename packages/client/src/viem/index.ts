export { type AccountKind, readAccountKind } from './account-kind.ts'
export type {
  ActionOptions,
  ActionStep,
  ClaimActionOptions,
  ClaimAllActionOptions,
  ClaimAllResult,
  ClaimConsent,
  ClaimedPosition,
  ClaimResult,
  LendActionOptions,
  LendResult,
  LentPosition,
  MinedTransaction,
  SkippedPosition,
  TallystickActionsOptions,
} from './action-options.ts'
export { type TallystickActions, tallystickActions } from './tallystick-actions.ts'
export { TransactionError, type TransactionErrorOptions } from './transaction/transaction-error.ts'
