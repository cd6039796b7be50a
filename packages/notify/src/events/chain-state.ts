import { type ChainRates, type RateEvent, rateEventSchema, type StatusEvent, statusEventSchema } from '@tallystick/core'

/** State of a chain that `rate` and `status` events report. */
export type ChainState = {
  readonly rate: RateEvent
  readonly status: Omit<StatusEvent, 'message' | 'changed'>
}

/** State of a chain with what the messages and the decision to report it need. */
export type ReadState = ChainState & {
  readonly statusReason: string
  readonly syncReason: string
  /** Whether the floating income could be read. */
  readonly isReadable: boolean
}

/** Returns the state of a chain from its rates and from the notes that are served. */
export function toState(
  rates: ChainRates,
  { tenors, signer }: { readonly tenors: readonly number[]; readonly signer: string | null },
): ReadState {
  const { chainid, fixedRates, floatingRate, floatingDay, marketRates, status, isProtocolSynced } = rates
  return {
    rate: { chainid, fixedRates, floatingRate, floatingDay, marketRates },
    status: { chainid, status, isProtocolSynced, availableMaturities: [...tenors], signer },
    statusReason: rates.statusReason,
    syncReason: rates.syncReason,
    isReadable: rates.dataBlock !== null,
  }
}

/** Returns whether the rate lost a figure. A single failed read must not be reported. */
export function isRateWorse(before: RateEvent | undefined, { rate }: ReadState): boolean {
  const lostFloating = rate.floatingRate === null && before?.floatingRate !== null
  const lostFixed = rate.fixedRates.length === 0 && before?.fixedRates.length !== 0
  return lostFloating || lostFixed
}

/** Returns whether the status lost something that one failed read, or a clock that is late, may have caused. */
export function isStatusWorse(before: ChainState['status'] | undefined, { status, isReadable }: ReadState): boolean {
  const lostStatus = status.status === 'unknown' && before?.status !== 'unknown'
  const lostNotes = status.availableMaturities.length === 0 && before?.availableMaturities.length !== 0
  const lostSync = !isReadable && !status.isProtocolSynced && before?.isProtocolSynced !== false
  return lostStatus || lostNotes || lostSync
}

const members = ['status', 'isProtocolSynced', 'availableMaturities', 'signer'] as const

/** Returns the `status` event of a change, or undefined if nothing changed. */
export function toStatusEvent(before: ChainState['status'] | undefined, now: ReadState): StatusEvent | undefined {
  const { status } = now
  const changed = members.filter((member) => JSON.stringify(before?.[member]) !== JSON.stringify(status[member]))
  if (changed.length === 0) return undefined
  const sentences = {
    status: now.statusReason,
    isProtocolSynced: now.syncReason,
    availableMaturities: describeNotes(status.availableMaturities),
    signer: describeSigner(before?.signer, status.signer),
  }
  const message = changed
    .map((member) => sentences[member])
    .filter((sentence) => sentence !== '')
    .join(' ')
  return { message, ...status, changed }
}

function describeNotes(tenors: readonly number[]): string {
  if (tenors.length === 0) return 'No notes are available.'
  return `Notes of ${tenors.join(', ')} days are available.`
}

function describeSigner(before: string | null | undefined, signer: string | null): string {
  if (signer === null) return ''
  return before ? `The signer of the notes changed from ${before} to ${signer}.` : `The notes are signed by ${signer}.`
}

/** Parses the data of stored events. Data of an unknown form counts as none. */
export function parseState(data: { readonly rate: string | undefined; readonly status: string | undefined }): {
  readonly rate: RateEvent | undefined
  readonly status: ChainState['status'] | undefined
} {
  const status = statusEventSchema.safeParse(parseJson(data.status)).data
  return { rate: rateEventSchema.safeParse(parseJson(data.rate)).data, status }
}

function parseJson(text: string | undefined): unknown {
  return text === undefined ? undefined : JSON.parse(text)
}
