import type { ReceiptState } from './watch-receipt.ts'

/**
 * Step of a lend or claim. In `permit`, `approve` and `send` the wallet waits for its user. In `owners` the wallet of several
 * owners waits for their signatures, and the hash is that of their transaction, which is not on the chain yet.
 */
export type ActivityStep = 'switch' | 'check' | 'permit' | 'approve' | 'approving' | 'send' | 'owners' | 'wait'

/** Progress of a lend or claim. */
export type Activity<Result> =
  | { readonly phase: 'idle' }
  | {
      readonly phase: 'running'
      readonly step: ActivityStep
      /** Steps before this one. */
      readonly done: readonly ActivityStep[]
      readonly hash?: string | undefined
    }
  | {
      readonly phase: 'mined'
      readonly hash: string
      readonly result: Result
      /** Blocks on top of the transaction's. */
      readonly depth: number
      /** Whether a reorganisation moved it to another block. */
      readonly wasMoved: boolean
    }
  | {
      /** A reorganisation removed the transaction. */
      readonly phase: 'reorganised'
      readonly hash: string
      readonly result: Result
      readonly wasMoved: boolean
      /** Whether the node still knows it and may mine it again. */
      readonly isKnown: boolean
    }
  | { readonly phase: 'failed'; readonly error: unknown; readonly hash?: string | undefined }
  /** The note expired before the transaction was sent or mined. */
  | { readonly phase: 'expired'; readonly hash?: string | undefined }
  /** The page stopped waiting for the wallet. With `hash`, its user confirmed nevertheless. */
  | { readonly phase: 'stopped'; readonly error?: unknown; readonly hash?: string | undefined }

export type ActivityEvent<Result> =
  | { readonly kind: 'step'; readonly step: ActivityStep; readonly hash?: string | undefined }
  | { readonly kind: 'mined'; readonly hash: string; readonly result: Result }
  | { readonly kind: 'receipt'; readonly hash: string; readonly state: ReceiptState }
  /** The transaction is in another block, in which its result may differ. */
  | { readonly kind: 'moved'; readonly hash: string; readonly result: Result }
  | { readonly kind: 'failed'; readonly error: unknown; readonly hash?: string | undefined }
  | { readonly kind: 'expired'; readonly hash?: string | undefined }
  | { readonly kind: 'stopped'; readonly error?: unknown }
  | { readonly kind: 'late'; readonly hash: string }
  | { readonly kind: 'reset' }

type EventOf<Kind> = Extract<ActivityEvent<unknown>, { readonly kind: Kind }>

/** Returns the progress after an event. An event that does not belong to the present phase changes nothing. */
export function reduceActivity<Result>(activity: Activity<Result>, event: ActivityEvent<Result>): Activity<Result> {
  switch (event.kind) {
    case 'step':
      return takeStep(activity, event)
    case 'mined':
      return { phase: 'mined', hash: event.hash, result: event.result, depth: 0, wasMoved: false }
    case 'receipt':
      return followReceipt(activity, event)
    case 'moved':
      return isWatched(activity, event.hash) ? { ...activity, result: event.result, wasMoved: true } : activity
    case 'failed':
      return { phase: 'failed', error: event.error, hash: event.hash ?? hashOf(activity) }
    case 'expired':
      return { phase: 'expired', hash: event.hash }
    case 'stopped':
      return activity.phase === 'running' ? { phase: 'stopped', error: event.error } : activity
    case 'late':
      return activity.phase === 'stopped' ? { ...activity, hash: event.hash } : activity
    case 'reset':
      return { phase: 'idle' }
  }
}

/** Returns the event of an action that failed. `signal` is that of the page, which stops waiting. */
export function describeFailure<Result>(error: unknown, signal: AbortSignal): ActivityEvent<Result> {
  const { code, hash } = (error ?? {}) as { readonly code?: unknown; readonly hash?: string | undefined }
  if (signal.aborted && hash === undefined) return { kind: 'stopped', error }
  return code === 'note_expired' ? { kind: 'expired', hash } : { kind: 'failed', error, hash }
}

function takeStep<Result>(activity: Activity<Result>, { step, hash }: EventOf<'step'>): Activity<Result> {
  if (activity.phase !== 'running') return { phase: 'running', step, done: [], hash }
  const done = activity.step === step || activity.done.includes(activity.step)
  return { phase: 'running', step, done: done ? activity.done : [...activity.done, activity.step], hash }
}

function followReceipt<Result>(activity: Activity<Result>, { hash, state }: EventOf<'receipt'>): Activity<Result> {
  if (!isWatched(activity, hash)) return activity
  const { result } = activity
  const wasMoved = activity.phase === 'reorganised' || activity.wasMoved
  if (state.kind !== 'mined') return { phase: 'reorganised', hash, result, wasMoved, isKnown: state.kind === 'pending' }
  return { phase: 'mined', hash, result, depth: state.depth, wasMoved }
}

type Watched<Result> = Extract<Activity<Result>, { readonly phase: 'mined' | 'reorganised' }>

function isWatched<Result>(activity: Activity<Result>, hash: string): activity is Watched<Result> {
  return (activity.phase === 'mined' || activity.phase === 'reorganised') && activity.hash === hash
}

function hashOf<Result>(activity: Activity<Result>): string | undefined {
  // The wallet has sent nothing yet.
  if (activity.phase === 'running' && activity.step === 'owners') return undefined
  return 'hash' in activity ? activity.hash : undefined
}

/** Returns whether the wallet waits for its user. */
export function isWaitingForWallet(activity: Activity<unknown>): boolean {
  return activity.phase === 'running' && ['switch', 'permit', 'approve', 'send'].includes(activity.step)
}

// A transaction with one of these is in the chain and changed nothing.
const harmlessCodes: readonly unknown[] = ['call_reverted', 'note_not_yet_valid']

/** Returns whether an activity ended without a known result although its transaction was sent, or may have been. */
export function hasUnknownResult(activity: Activity<unknown>): boolean {
  if (activity.phase === 'stopped') return activity.hash !== undefined
  if (activity.phase !== 'failed') return false
  const { code } = (activity.error ?? {}) as { readonly code?: unknown }
  return code === 'transaction_pending' || (activity.hash !== undefined && !harmlessCodes.includes(code))
}

/** Line of the list of steps. */
type StepLine = {
  readonly step: ActivityStep
  readonly state: 'done' | 'now' | 'next'
}

const order: readonly ActivityStep[] = ['switch', 'permit', 'approve', 'approving', 'send', 'owners', 'wait']

/**
 * Returns the steps to show: the planned ones, those that were taken, and the present one. A wallet that cannot sign a permit
 * is asked for an approval instead, so that the plan can change on the way.
 */
export function listSteps(activity: Activity<unknown>, plan: readonly ActivityStep[]): readonly StepLine[] {
  if (activity.phase !== 'running') return []
  const { done, step } = activity
  // Between two requests the page checks the call. The next request is then the one to come.
  const taken = new Set<ActivityStep>(done)
  const steps = order.filter((one) => one === step || taken.has(one) || plan.includes(one))
  const isApproved = taken.has('approve') || taken.has('approving') || step === 'approve' || step === 'approving'
  return steps
    .filter((one) => !(one === 'permit' && isApproved && !taken.has('permit')))
    .map((one) => ({ step: one, state: one === step ? 'now' : taken.has(one) ? 'done' : 'next' }))
}
