import { Button, FieldFault, Mark, useAction, withoutReload } from '@tallystick/ui'
import { useEffect, useRef, useState } from 'preact/hooks'

type TokenFormProps = {
  /** Why there is no token any more. */
  readonly reason: string | undefined
  readonly onSubmit: (token: string) => Promise<void>
}

/** Renders the form for the admin token. */
export function TokenForm({ reason, onSubmit }: TokenFormProps) {
  const [token, setToken] = useState('')
  const action = useAction(onSubmit)
  const field = useRef<HTMLInputElement>(null)
  const fault = action.error?.message ?? reason
  useEffect(() => {
    field.current?.focus()
    field.current?.select()
  }, [action.error])
  return (
    <main class="token-page grid">
      <form class="card token-form grid full" onSubmit={withoutReload(() => void action.run(token.trim()))}>
        <h1 class="row">
          <Mark />
          Tallystick <span class="brand-part">console</span>
        </h1>
        <label class="field-label" for="token">
          Admin token
        </label>
        <input
          id="token"
          ref={field}
          type="password"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
          autocomplete="off"
          spellcheck={false}
          required
          readOnly={action.isRunning}
          aria-invalid={fault !== undefined}
          aria-describedby={fault ? 'token-fault token-hint' : 'token-hint'}
        />
        <FieldFault id="token-fault" text={fault} />
        <Button
          type="submit"
          class="primary"
          label={action.isRunning ? 'Checking…' : 'Open the console'}
          disabled={action.isRunning}
        />
        <p id="token-hint" class="hint">
          One of admin.token and admin.tokens of the configuration. It stays in the memory of this tab: a reload
          discards it. Its roles decide what you see and may change.
        </p>
      </form>
    </main>
  )
}
