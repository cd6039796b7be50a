import { formatDollars, type Tone } from '@tallystick/ui'
import type { SentAct, SentState, SentTransaction } from './sent-transaction.ts'

const idsShownMax = 4

/**
 * Describes what a transaction does.
 *
 * @example
 * describeAct({ kind: 'lend', principal: '1000000000000000000000', tenorDays: 30 }) // 'Lend $1,000.00 for 30 days'
 */
export function describeAct(act: SentAct): string {
  switch (act.kind) {
    case 'lend':
      return `Lend $${formatDollars(BigInt(act.principal))} for ${act.tenorDays} ${act.tenorDays === 1 ? 'day' : 'days'}`
    case 'claim':
      return `Claim ${describePositions(act.tokenIds)}`
    case 'approveDollars':
      return `Approve $${formatDollars(BigInt(act.principal))} for a lend`
    case 'approvePositions':
      return `Approve ${describePositions(act.tokenIds)} for a claim`
  }
}

function describePositions(tokenIds: readonly string[]): string {
  const shown = tokenIds.slice(0, idsShownMax).map((id) => `#${id}`)
  const rest = tokenIds.length - shown.length
  return `${tokenIds.length === 1 ? 'position' : 'positions'} ${shown.join(', ')}${rest > 0 ? ` and ${rest} more` : ''}`
}

type Words = { readonly label: string; readonly tone: Tone; readonly text?: string | undefined }

/** Describes the state of a transaction. */
export function describeState(state: SentState): Words {
  switch (state.kind) {
    case 'asked':
      return {
        ...{ label: 'In your wallet', tone: 'warn' },
        text: 'Your wallet was asked to confirm it, and this page has no answer yet. Look into the wallet. If you rejected it there, dismiss it here.',
      }
    case 'signing':
      return {
        ...{ label: 'Needs signatures', tone: 'warn' },
        text: 'It is sent when enough owners of the wallet have signed it.',
      }
    case 'waiting':
      return { label: 'Waiting to be mined', tone: 'warn' }
    case 'confirmed':
      return { label: 'Confirmed', tone: 'good' }
    case 'failed':
      return {
        ...{ label: 'Failed', tone: 'bad' },
        text: state.reason ?? 'It was mined, but the contract rejected it. Only the network fee was paid.',
      }
    case 'replaced':
      return {
        ...{ label: 'Replaced', tone: 'calm' },
        text: 'Another transaction of this account was mined in its place, such as a cancellation in the wallet.',
      }
    case 'dropped':
      return {
        ...{ label: 'Dropped', tone: 'calm' },
        text: 'The network does not know it any more. Nothing was moved. You can try again.',
      }
    case 'cancelled':
      return {
        ...{ label: 'Cancelled', tone: 'calm' },
        text: 'It was rejected in the wallet, or its owners signed too late. Nothing was moved. You can try again.',
      }
  }
}

/** Describes an outcome in one sentence, to be announced. */
export function announce({ act, state }: Pick<SentTransaction, 'act' | 'state'>): string {
  const { label, text } = describeState(state)
  return `${label}: ${describeAct(act)}.${state.kind === 'failed' ? ` ${text}` : ''}`
}
