import type { ClaimedPosition } from '@tallystick/client/viem'
import type { Activity } from '../connect/activity.ts'
import type { ClaimReport } from './run-claim.ts'

/** Returns the positions that a claim paid, also one that failed or was stopped after its first transactions. */
export function listClaimed(activity: Activity<ClaimReport>): readonly ClaimedPosition[] {
  if (activity.phase === 'mined') return activity.result.positions
  if (activity.phase !== 'failed' && activity.phase !== 'stopped') return []
  const { claimed } = (activity.error ?? {}) as {
    readonly claimed?: { readonly positions: readonly ClaimedPosition[] }
  }
  return claimed?.positions ?? []
}
