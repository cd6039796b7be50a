import type { HookTest, ListedHookView } from '@tallystick/core'
import { Button, Notice, type Tone } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { AdminApi } from '../api/admin-api.ts'
import { useAction } from '../api/use-action.ts'
import { useData } from '../api/use-data.ts'
import { DataState } from '../parts/data-state.tsx'
import { ActionError, ConfirmDialog } from '../parts/dialog.tsx'
import { SecretPanel, type ShownSecret } from '../parts/secret-panel.tsx'
import { AddHookDialog } from './add-hook-dialog.tsx'
import { HooksTable } from './hooks-table.tsx'

const intervalMs = 10_000

/** Renders the webhooks, and adds, tests, switches on and removes them. */
export function HooksView({ api, canChange }: { readonly api: AdminApi; readonly canChange: boolean }) {
  const hooks = useData<{ readonly hooks: readonly ListedHookView[] }>(api, '/hooks', intervalMs)
  const [open, setOpen] = useState<'add' | ListedHookView>()
  const [shown, setShown] = useState<ShownSecret>()
  const [outcome, setOutcome] = useState<{ readonly tone: Tone; readonly title: string; readonly text?: string }>()
  // Another dialog may be open when the answer of this one arrives.
  const close = (dialog: typeof open) => setOpen((now) => (now === dialog ? undefined : now))
  const path = ({ id }: ListedHookView, verb: string) => `/hooks/${encodeURIComponent(id)}/${verb}`
  const act = useAction<{ readonly hook: ListedHookView; readonly verb: 'test' | 'enable' }>(async ({ hook, verb }) => {
    setOutcome(undefined)
    const answer = await api.post<HookTest>(path(hook, verb))
    setOutcome(verb === 'test' ? describeTest(hook, answer) : { tone: 'good', title: `${hook.url} is switched on` })
    hooks.refresh()
  })
  const remove = async (hook: ListedHookView) => {
    await api.post(path(hook, 'remove'))
    setOutcome({ tone: 'good', title: 'The webhook is removed' })
    close(hook)
    hooks.refresh()
  }
  return (
    <div class="stack">
      {shown ? <SecretPanel shown={shown} onDone={() => setShown(undefined)} /> : null}
      {outcome ? (
        <Notice tone={outcome.tone} title={outcome.title}>
          {outcome.text}
        </Notice>
      ) : null}
      <ActionError action={act} />
      {canChange ? (
        <div>
          <Button class="primary" label="Add a webhook" onClick={() => setOpen('add')} />
        </div>
      ) : null}
      <DataState data={hooks}>
        {(value) =>
          value.hooks.length === 0 ? (
            <p class="muted">There are no webhooks.</p>
          ) : (
            <section class="card" aria-label="Webhooks in use">
              <HooksTable
                hooks={value.hooks}
                isBusy={act.isRunning}
                onAct={canChange ? (hook, verb) => void act.run({ hook, verb }) : undefined}
                onRemove={setOpen}
              />
            </section>
          )
        }
      </DataState>
      {open === 'add' ? (
        <AddHookDialog
          api={api}
          onClose={() => setOpen(undefined)}
          onDone={(secret) => {
            close('add')
            setShown(secret)
            hooks.refresh()
          }}
        />
      ) : null}
      {open && open !== 'add' ? (
        <ConfirmDialog
          title="Remove this webhook?"
          verb="Remove"
          act={() => remove(open)}
          onClose={() => setOpen(undefined)}
        >
          <p class="mono">{open.url}</p>
          <p>Its secret, the list of its deliveries and {open.waiting} waiting events are deleted.</p>
        </ConfirmDialog>
      ) : null}
    </div>
  )
}

function describeTest({ url }: ListedHookView, { isDelivered, status, error, durationMs }: HookTest) {
  const took = `in ${Math.round(durationMs)} ms`
  if (isDelivered)
    return { tone: 'good' as const, title: `${url} accepted a test event`, text: `Status ${status} ${took}.` }
  return {
    tone: 'bad' as const,
    title: `${url} did not accept a test event`,
    text: error ?? `Status ${status} ${took}.`,
  }
}
