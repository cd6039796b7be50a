import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { explainError } from '../data/explain-error.ts'
import { Icon } from './icons.tsx'

/** Where the visitor gives the key. It goes from here to the tab's memory, and is sent to this service alone. */
export function KeyPanel({
  error,
  refused,
  given,
  onSubmit,
  onCancel,
}: {
  /** Why the last one was refused. */
  readonly error: unknown
  /** The one that was, to be corrected. */
  readonly refused: string | undefined
  /** The key a sandbox gives to everyone. */
  readonly given: string | undefined
  readonly onSubmit: (apiKey: string) => void
  /** Undefined where there is no key in use to go back to. */
  readonly onCancel: (() => void) | undefined
}) {
  const [text, setText] = useState(refused ?? given ?? '')
  const [isShown, setIsShown] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const fault = error === undefined ? undefined : explainError(error)
  useLayoutEffect(() => {
    if (error === undefined) return
    field.current?.focus()
    field.current?.select()
  }, [error])
  return (
    <form
      class="key-panel"
      aria-labelledby="key-title"
      onSubmit={(event) => {
        event.preventDefault()
        onSubmit(text.trim())
      }}
    >
      <div class="key-words">
        <h2 id="key-title">
          <Icon name="key" />
          Your API key
        </h2>
        <p>It stays in this tab’s memory: it is not stored, and it is gone when you reload.</p>
      </div>
      <div class="key-field">
        <label class="sr-only" for="api-key">
          API key
        </label>
        <input
          id="api-key"
          ref={field}
          {...(isShown ? ({ type: 'text' } as const) : ({ type: 'password' } as const))}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          placeholder="tsk_live_…"
          autocomplete="off"
          spellcheck={false}
          required
          aria-invalid={fault !== undefined}
          aria-describedby={fault ? 'key-fault' : undefined}
        />
        <button type="button" class="quiet" aria-pressed={isShown} onClick={() => setIsShown(!isShown)}>
          {isShown ? 'Hide' : 'Show'}
        </button>
        <button type="submit" class="primary">
          Use key
        </button>
        {given !== undefined && text !== given ? (
          <button type="button" class="quiet" onClick={() => onSubmit(given)}>
            Sandbox key
          </button>
        ) : null}
        {onCancel ? (
          <button type="button" class="quiet" onClick={onCancel}>
            Cancel
          </button>
        ) : null}
      </div>
      {fault ? (
        <p id="key-fault" class="field-fault" role="alert">
          <strong>{fault.title}.</strong> {fault.text}
        </p>
      ) : null}
    </form>
  )
}
