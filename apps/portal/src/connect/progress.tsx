import { Button, Hex, Icon } from '@tallystick/ui'
import { useEffect, useState } from 'preact/hooks'
import { type Activity, type ActivityStep, isWaitingForWallet, listSteps } from './activity.ts'

/** Labels of the steps that depend on the action. */
export type StepLabels = Readonly<Record<'approve' | 'send' | 'wait', string>>

const commonLabels = {
  check: 'Checking…',
  switch: 'Switch the network in your wallet',
  permit: 'Sign the permit in your wallet',
  approving: 'The approval is being mined',
  owners: 'The owners sign and execute it',
}

type ProgressProps = {
  readonly activity: Activity<unknown>
  readonly plan: readonly ActivityStep[]
  readonly labels: StepLabels
  readonly explorer: string | undefined
  readonly onStop: () => void
}

/** Renders the steps of a running lend or claim. */
export function Progress({ activity, plan, labels, explorer, onStop }: ProgressProps) {
  const isAsking = isWaitingForWallet(activity)
  const isSlow = useIsSlow(activity.phase === 'running' && isAsking ? activity.step : undefined)
  if (activity.phase !== 'running') return null
  return (
    <div class="progress" role="status" tabIndex={-1} data-focus>
      <ol class="grid">
        {listSteps(activity, plan).map(({ step, state }) => (
          <li key={step} class={`flex middle step-${state}`} aria-current={state === 'now' ? 'step' : undefined}>
            {state === 'done' ? <Icon name="check" /> : <span class="step-dot" aria-hidden="true" />}
            <span>{{ ...commonLabels, ...labels }[step]}</span>
          </li>
        ))}
      </ol>
      {activity.step === 'check' ? <p class="hint">{commonLabels.check}</p> : null}
      {activity.hash === undefined ? null : (
        <TransactionLink hash={activity.hash} explorer={activity.step === 'owners' ? undefined : explorer} />
      )}
      {isAsking ? (
        <p class="hint row progress-wallet apart">
          {isSlow
            ? 'The wallet has not answered yet. Look for its window, or click its icon beside the address bar.'
            : 'Your wallet asks you to confirm.'}
          <Button label="Stop waiting" onClick={onStop} />
        </p>
      ) : null}
    </div>
  )
}

/** Renders the hash of a transaction, with a link if a block explorer is known. */
export function TransactionLink({ hash, explorer }: { readonly hash: string; readonly explorer: string | undefined }) {
  return (
    <p class="hint">
      Transaction <Hex value={hash} />
      {explorer === undefined ? null : (
        <>
          {' '}
          <a href={`${explorer}/tx/${hash}`} target="_blank" rel="noreferrer">
            Open in the block explorer
          </a>
        </>
      )}
    </p>
  )
}

// A visitor who looks at the wallet's window answers sooner.
const slowMs = 15_000

/** Returns whether the same request has been waiting for long. Undefined means that there is none. */
export function useIsSlow(request: unknown): boolean {
  const [slow, setSlow] = useState<unknown>()
  useEffect(() => {
    if (request === undefined) return undefined
    const timer = setTimeout(() => setSlow(request), slowMs)
    return () => clearTimeout(timer)
  }, [request])
  return request !== undefined && slow === request
}
