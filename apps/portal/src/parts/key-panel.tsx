import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { explainError } from '../data/explain-error.ts'
import { Icon } from './icons.tsx'

/** Renders the form for the API key. The key stays in the tab's memory and is sent only to this service. */
export function KeyPanel({
  error,
  rejectedKey,
  sandboxKey,
  onSubmit,
  onCancel,
}: {
  /** Why the last key was rejected. */
  readonly error: unknown
  /** Prefills the field for correction. */
  readonly rejectedKey: string | undefined
  readonly sandboxKey: string | undefined
  readonly onSubmit: (apiKey: string) => void
  /** Undefined if there is no valid key to return to. */
  readonly onCancel: (() => void) | undefined
}) {
  const [text, setText] = useState(rejectedKey ?? sandboxKey ?? '')
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
        <p>The key stays in this tab’s memory. It is not stored, and a reload discards it.</p>
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
        {sandboxKey !== undefined && text !== sandboxKey ? (
          <button type="button" class="quiet" onClick={() => onSubmit(sandboxKey)}>
            Use sandbox key
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
