import { denylisterAbi, eventTopics, poolAbi, positionTokenAbi } from '@tallystick/contracts'

/** Contract whose events are handled, by the name of its ABI in a manifest. */
export type ContractName = 'Pool' | 'PositionToken' | 'Denylister'

type EventParameter = { readonly name: string; readonly type: string; readonly indexed: boolean }

type AbiEvent = {
  readonly type: 'event'
  readonly name: string
  readonly inputs: readonly EventParameter[]
  readonly anonymous: false
}

export type EventHandler = {
  readonly event: AbiEvent
  /** Signature as a manifest has it: `Transfer(indexed address,indexed address,indexed uint256)`. */
  readonly signature: string
  readonly topic0: string
  /** Function that `src/mapping.ts` exports. */
  readonly handler: string
  /** Whether the handler needs the receipt of the transaction. */
  readonly receipt: boolean
}

const handlers = {
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
} as const satisfies Readonly<Record<ContractName, Readonly<Partial<Record<keyof typeof eventTopics, string>>>>>

const abis = { Pool: poolAbi, PositionToken: positionTokenAbi, Denylister: denylisterAbi }

/** Lists the events of a contract that change entities, as `packages/contracts` defines them, and their handlers. */
export function listEventHandlers(contract: ContractName): readonly EventHandler[] {
  return Object.entries(handlers[contract]).map(([name, handler]) => {
    const event = getEvent(contract, name)
    const types = event.inputs.map(({ type, indexed }) => `${indexed ? 'indexed ' : ''}${type}`)
    return {
      event,
      signature: `${name}(${types.join(',')})`,
      topic0: eventTopics[name as keyof typeof eventTopics],
      handler,
      // A position belongs to the last recipient of its token before the Lend event.
      receipt: handler === 'handleLend',
    }
  })
}

function getEvent(contract: ContractName, name: string): AbiEvent {
  for (const entry of abis[contract]) {
    if (entry.type === 'event' && entry.name === name) {
      return { type: 'event', name, inputs: entry.inputs as readonly EventParameter[], anonymous: false }
    }
  }
  throw new Error(`The ABI of ${contract} has no event ${name}.`)
}
