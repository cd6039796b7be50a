import type { DeliveryView, ListedHookView } from '@tallystick/core'
import { Button, Notice, Pill, useAction } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { formatPlace } from '../access/place.ts'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { DataState } from '../parts/data-state.tsx'
import { ActionError } from '../parts/dialog.tsx'
import { Facts } from '../parts/facts.tsx'
import { formatIso } from '../parts/format.ts'
import { SecretPanel, type ShownSecret } from '../parts/secret-panel.tsx'
import { DeliveriesTable } from './deliveries-table.tsx'
import { hookTones } from './hooks-table.tsx'
import { RotateHookDialog } from './rotate-hook-dialog.tsx'

const intervalMs = 10_000

type HookPageProps = {
  readonly api: AdminApi
  readonly canChange: boolean
  /** Whether the token may read the audit. */
  readonly canAudit: boolean
  readonly id: string
}

/** Renders one webhook: its state, its deliveries, the rotation of its secret, and what sends the failed ones again. */
export function HookPage({ api, canChange, canAudit, id }: HookPageProps) {
  const path = `/hooks/${encodeURIComponent(id)}`
  const hooks = useData<{ readonly hooks: readonly ListedHookView[] }>(api, '/hooks', intervalMs)
  const deliveries = useData<{ readonly deliveries: readonly DeliveryView[] }>(
    api,
    `${path}/deliveries?limit=200`,
    intervalMs,
  )
  const [isRetried, setIsRetried] = useState(false)
  const [isRotating, setIsRotating] = useState(false)
  const [shown, setShown] = useState<ShownSecret>()
  const retry = useAction<void>(async () => {
    setIsRetried(false)
    await api.post(`${path}/enable`)
    setIsRetried(true)
    hooks.refresh()
    deliveries.refresh()
  })
  return (
    <div class="stack">
      <a class="back" href={formatPlace('webhooks')}>
        All webhooks
      </a>
      {shown ? <SecretPanel shown={shown} onDone={() => setShown(undefined)} /> : null}
      <ActionError action={retry} />
      {isRetried ? (
        <Notice tone="good" title="The webhook is on" text="It sends what failed, and then what waits, in order." />
      ) : null}
      <DataState data={hooks}>
        {(value) => {
          const hook = value.hooks.find((own) => own.id === id)
          if (!hook) return <Notice tone="warn" title="There is no such webhook" text="It may have been removed." />
          return (
            <section class="card" aria-labelledby="hook-heading">
              <div class="row apart">
                <h2 id="hook-heading" class="page-name anywhere">
                  {hook.url}
                </h2>
                {canChange ? (
                  <span class="row-actions flex wrap">
                    {hook.status === 'active' ? null : (
                      <Button
                        class="quiet small"
                        label={retry.isRunning ? 'Sending…' : 'Send the failed ones again'}
                        disabled={retry.isRunning}
                        onClick={() => retry.run()}
                      />
                    )}
                    <Button class="quiet small" label="Rotate the secret" onClick={() => setIsRotating(true)} />
                  </span>
                ) : null}
              </div>
              <Facts facts={listFacts(hook)} />
              {canAudit ? (
                <p class="page-link">
                  <a href={formatPlace('audit', { query: { subject: id } })}>Changes of this webhook</a>
                </p>
              ) : null}
              {isRotating ? (
                <RotateHookDialog
                  api={api}
                  hook={hook}
                  onClose={() => setIsRotating(false)}
                  onDone={(secret) => {
                    setIsRotating(false)
                    setShown(secret)
                    hooks.refresh()
                  }}
                />
              ) : null}
            </section>
          )
        }}
      </DataState>
      <section class="card" aria-labelledby="deliveries-heading">
        <h2 id="deliveries-heading">Deliveries</h2>
        <DataState data={deliveries}>
          {(value) => <DeliveriesTable hookId={id} deliveries={value.deliveries} />}
        </DataState>
      </section>
    </div>
  )
}

function listFacts(hook: ListedHookView): readonly (readonly [string, ComponentChildren])[] {
  const { status, types, chainId, secrets, waiting, attempts, nextAttemptAt, lastSuccessAt } = hook
  const problem = hook.disabledReason ?? hook.lastError
  return [
    ['Status', <Pill tone={hookTones[status]}>{status}</Pill>],
    ...(problem ? [['Problem', problem] as const] : []),
    ...(attempts > 0 ? [['Failed attempts in a row', String(attempts)] as const] : []),
    ...(nextAttemptAt ? [['Next attempt', formatIso(nextAttemptAt)] as const] : []),
    ['Id', <code class="anywhere">{hook.id}</code>],
    ['Events', `${types.join(', ')}${chainId === null ? ' of every chain' : ` of chain ${chainId}`}`],
    ['Waiting events', String(waiting)],
    ['Secrets that sign', String(secrets)],
    ['Created', formatIso(hook.createdAt)],
    ['Last success', lastSuccessAt ? formatIso(lastSuccessAt) : 'never'],
  ]
}
