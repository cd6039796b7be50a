import { type Action, Button, Notice, useAction, withoutReload } from '@tallystick/ui'
import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'

type DialogProps = {
  readonly title: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

/** Renders a modal dialog. The browser keeps the focus in it, closes it with Escape and then returns the focus. */
function Dialog({ title, onClose, children }: DialogProps) {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
    return () => element.current?.close()
  }, [])
  return (
    <dialog ref={element} class="dialog" aria-labelledby="dialog-title" onClose={onClose}>
      <h2 id="dialog-title" class="anywhere">
        {title}
      </h2>
      {children}
    </dialog>
  )
}

type ActionDialogProps = DialogProps & {
  /** Label of its button. */
  readonly verb: string
  readonly act: () => Promise<void>
}

/** Renders a question before a change that cannot be undone. The button that changes nothing has the focus first. */
export function ConfirmDialog({ title, verb, act, onClose, children }: ActionDialogProps) {
  const action = useAction<void>(act)
  return (
    <Dialog title={title} onClose={onClose}>
      <div class="dialog-text grid soft anywhere">{children}</div>
      <ActionError action={action} />
      <div class="row dialog-buttons">
        <Button label="Cancel" autofocus onClick={onClose} />
        <Button
          class="primary danger"
          label={action.isRunning ? 'Working…' : verb}
          disabled={action.isRunning}
          onClick={() => action.run()}
        />
      </div>
    </Dialog>
  )
}

type FormDialogProps = ActionDialogProps & {
  /** Label of the button while the action runs. */
  readonly progress: string
  readonly isComplete?: boolean
}

/** Renders a form in a dialog. */
export function FormDialog({ title, verb, progress, act, isComplete = true, onClose, children }: FormDialogProps) {
  const action = useAction<void>(act)
  return (
    <Dialog title={title} onClose={onClose}>
      <form class="dialog-form grid" onSubmit={withoutReload(() => void action.run())}>
        {children}
        <ActionError action={action} />
        <div class="row dialog-buttons">
          <Button label="Cancel" onClick={onClose} />
          <Button
            type="submit"
            class="primary"
            label={action.isRunning ? progress : verb}
            disabled={action.isRunning || !isComplete}
          />
        </div>
      </form>
    </Dialog>
  )
}

export function ActionError({ action }: { readonly action: Pick<Action<never>, 'error'> }) {
  return action.error ? <Notice tone="bad" title="This was refused" text={action.error.message} /> : null
}
