import { Button, Icon, withoutReload } from '@tallystick/ui'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { explainError } from '../data/explain-error.ts'

type KeyPanelProps = {
  /** Why the last key was rejected. */
  readonly error: unknown
  /** Prefills the field for correction. */
  readonly rejectedKey: string | undefined
  readonly sandboxKey: string | undefined
  /** Whether the visitor opened it. It then takes the focus. */
  readonly isOpened: boolean
  readonly onSubmit: (apiKey: string) => void
  /** Undefined if there is no valid key to return to. */
  readonly onCancel: (() => void) | undefined
}

/** Renders the form for the API key. The key stays in the tab's memory and is sent only to this service. */
export function KeyPanel({ error, rejectedKey, sandboxKey, isOpened, onSubmit, onCancel }: KeyPanelProps) {
  const [text, setText] = useState(rejectedKey ?? sandboxKey ?? '')
  const [isShown, setIsShown] = useState(false)
  const field = useRef<HTMLInputElement>(null)
  const fault = error === undefined ? undefined : explainError(error)
  // It stays in sight wherever the page is scrolled to. Without a key it is part of the page, which may be used without one.
  const isSticky = isOpened || error !== undefined
  useEffect(() => {
    if (!onCancel) return undefined
    const closeOnEscape = (event: KeyboardEvent) => {
      if (event.key === 'Escape') onCancel()
    }
    document.addEventListener('keydown', closeOnEscape)
    return () => document.removeEventListener('keydown', closeOnEscape)
  }, [onCancel])
  useLayoutEffect(() => {
    if (error === undefined && !isOpened) return
    field.current?.focus({ preventScroll: isSticky })
    field.current?.select()
  }, [error, isOpened])
  return (
    <form
      id="key-panel"
      class={isSticky ? 'key-box key-panel middle key-panel-box' : 'key-box key-panel middle'}
      aria-labelledby="key-title"
      onSubmit={withoutReload(() => onSubmit(text.trim()))}
    >
      <div class="key-words">
        <h2 id="key-title">
          <Icon name="key" />
          Your API key
        </h2>
        <p class="soft">The key stays in this tab’s memory. It is not stored, and a reload discards it.</p>
      </div>
      <div class="key-field flex">
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
        <Button label={isShown ? 'Hide' : 'Show'} aria-pressed={isShown} onClick={() => setIsShown(!isShown)} />
        <Button type="submit" class="primary" label="Use key" />
        {sandboxKey !== undefined && text !== sandboxKey ? (
          <Button label="Use sandbox key" onClick={() => onSubmit(sandboxKey)} />
        ) : null}
        {onCancel ? <Button label="Cancel" onClick={onCancel} /> : null}
      </div>
      {fault ? (
        <p id="key-fault" class="field-fault" role="alert">
          <strong>{fault.title}.</strong> {fault.text}
        </p>
      ) : null}
    </form>
  )
}
