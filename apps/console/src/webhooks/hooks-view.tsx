import { eventTypes, type HookTest, type HookView, type ListedHookView } from '@tallystick/core'
import { Button, Notice, type Tone, useAction } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import { type AdminApi, useData } from '../api/admin-api.ts'
import { CheckList } from '../parts/check-list.tsx'
import { DataState } from '../parts/data-state.tsx'
import { ActionError, ConfirmDialog, FormDialog } from '../parts/dialog.tsx'
import { SecretPanel, type ShownSecret } from '../parts/secret-panel.tsx'
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
      {outcome ? <Notice {...outcome} /> : null}
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

type AddHookDialogProps = {
  readonly api: AdminApi
  readonly onClose: () => void
  readonly onDone: (secret: ShownSecret) => void
}

/** Renders the form for a new webhook. */
function AddHookDialog({ api, onClose, onDone }: AddHookDialogProps) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState<readonly string[]>(eventTypes)
  const act = async () => {
    const { hook, secret } = await api.post<{ hook: HookView; secret: string }>('/hooks', {
      url: url.trim(),
      types,
    })
    onDone({
      id: hook.id,
      title: 'Signing secret of the webhook',
      text: `The receiver ${hook.url} verifies the signature of each event with it.`,
      secret,
    })
  }
  return (
    <FormDialog
      title="Add a webhook"
      verb="Add"
      progress="Adding…"
      act={act}
      isComplete={types.length > 0}
      onClose={onClose}
    >
      <div class="field">
        <label for="hook-url">URL of the receiver</label>
        <input id="hook-url" type="url" value={url} onInput={(event) => setUrl(event.currentTarget.value)} required />
      </div>
      <CheckList legend="Events" values={eventTypes} chosen={types} onChange={setTypes} />
    </FormDialog>
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
