// The entry of the WebAssembly module. scripts/event-handlers.ts says which event calls which function.
export { handleAddedToDenylist, handleRemovedFromDenylist } from './denylist'
export { handleDailyFloatingIncome, handlePreviousFloatingIncome } from './floating-income'
export {
  handlePartnerCreated,
  handlePartnerFeeChanged,
  handlePartnerOwnershipTransferred,
  handlePartnerVaultChanged,
} from './partners'
export {
  handleMaxCouponLimit,
  handleMinLendLimit,
  handleMinMaturityLimit,
  handlePoolPaused,
  handlePoolUnpaused,
  handlePositionTokenPaused,
  handlePositionTokenUnpaused,
  handleSignerChanged,
} from './pool-settings'
export { handleClaim, handleLend, handleTransfer } from './positions'
