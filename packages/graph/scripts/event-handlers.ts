import { denylisterAbi, poolAbi, positionTokenAbi } from '@tallystick/contracts'
import type { AbiEvent } from 'viem'

const abis = { Pool: poolAbi, PositionToken: positionTokenAbi, Denylister: denylisterAbi }

/** Contract whose events are handled, by the name of its ABI in a manifest. */
export type ContractName = keyof typeof abis
type EventName<Name extends ContractName> = Extract<(typeof abis)[Name][number], { readonly type: 'event' }>['name']

/** Functions that `src/mapping.ts` exports. */
const handlers: { readonly [Name in ContractName]: Readonly<Partial<Record<EventName<Name>, string>>> } = {
  Pool: {
    Lend: 'handleLend',
    Claim: 'handleClaim',
    UpdateDailyFloatingIncome: 'handleDailyFloatingIncome',
    UpdatePreviousFloatingIncome: 'handlePreviousFloatingIncome',
    PartnerCreated: 'handlePartnerCreated',
    PartnerOwnershipTransferred: 'handlePartnerOwnershipTransferred',
    PartnerVaultChanged: 'handlePartnerVaultChanged',
    PartnerFeeChanged: 'handlePartnerFeeChanged',
    MinLendLimitUpdated: 'handleMinLendLimit',
    MaxCouponLimitUpdated: 'handleMaxCouponLimit',
    MinMaturityLimitUpdated: 'handleMinMaturityLimit',
    FeedSignatureVerifier__SignerChanged: 'handleSignerChanged',
    Paused: 'handlePoolPaused',
    Unpaused: 'handlePoolUnpaused',
  },
  PositionToken: {
    Transfer: 'handleTransfer',
    Paused: 'handlePositionTokenPaused',
    Unpaused: 'handlePositionTokenUnpaused',
  },
  Denylister: {
    AddedToDenylist: 'handleAddedToDenylist',
    RemovedFromDenylist: 'handleRemovedFromDenylist',
  },
}

/** Lists the events of a contract that change entities, as `packages/contracts` defines them, and their handlers. */
export function listEventHandlers(contract: ContractName) {
  return Object.entries(handlers[contract]).map(([name, handler]) => {
    const event = abis[contract].find((entry) => entry.type === 'event' && entry.name === name) as AbiEvent
    const types = event.inputs.map(({ type, indexed }) => `${indexed ? 'indexed ' : ''}${type}`)
    return {
      event: { ...event, anonymous: false },
      /** Signature as a manifest has it: `Transfer(indexed address,indexed address,indexed uint256)`. */
      signature: `${name}(${types.join(',')})`,
      handler,
      /** Whether the handler needs the receipt: a position belongs to the last recipient of its token before the Lend event. */
      receipt: handler === 'handleLend',
    }
  })
}
