import type { Activity, ActivityStep } from './activity.ts'

/** Line of the list of steps. */
export type StepLine = {
  readonly step: ActivityStep
  readonly state: 'done' | 'now' | 'next'
}

const order: readonly ActivityStep[] = ['switch', 'permit', 'approve', 'approving', 'send', 'wait']

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
