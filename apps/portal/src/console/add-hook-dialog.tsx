import { eventTypes } from '@tallystick/core/wire/event-types'
import { useState } from 'preact/hooks'
import type { AdminApi } from './admin-api.ts'
import { ActionError, Dialog } from './dialog.tsx'
import type { ShownSecret } from './secret-panel.tsx'
import type { Hook } from './types.ts'
import { useAction } from './use-action.ts'

/** Renders the form for a new webhook. */
export function AddHookDialog({
  api,
  onClose,
  onDone,
}: {
  readonly api: AdminApi
  readonly onClose: () => void
  readonly onDone: (secret: ShownSecret) => void
}) {
  const [url, setUrl] = useState('')
  const [types, setTypes] = useState<readonly string[]>(eventTypes)
  const action = useAction<void>(async () => {
    const { hook, secret } = await api.post<{ hook: Hook; secret: string }>('/hooks', { url: url.trim(), types })
    onDone({
      id: hook.id,
      title: 'Signing secret of the webhook',
      text: `The receiver ${hook.url} verifies the signature of each event with it.`,
      secret,
    })
  })
  const toggle = (type: string) =>
    setTypes(types.includes(type) ? types.filter((other) => other !== type) : [...types, type])
  return (
    <Dialog title="Add a webhook" onClose={onClose}>
      <form
        class="dialog-form"
        onSubmit={(event) => {
          event.preventDefault()
          void action.run()
        }}
      >
        <div class="field">
          <label for="hook-url">URL of the receiver</label>
          <input id="hook-url" type="url" value={url} onInput={(event) => setUrl(event.currentTarget.value)} required />
        </div>
        <fieldset class="field">
          <legend>Events</legend>
          {eventTypes.map((type) => (
            <label key={type} class="check">
              <input type="checkbox" checked={types.includes(type)} onChange={() => toggle(type)} /> {type}
            </label>
          ))}
        </fieldset>
        <ActionError action={action} />
        <div class="dialog-buttons">
          <button type="button" class="quiet" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" class="primary" disabled={action.isRunning || types.length === 0}>
            {action.isRunning ? 'Adding…' : 'Add'}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
