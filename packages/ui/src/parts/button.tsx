import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'

type ButtonProps = Omit<ButtonHTMLAttributes, 'label'> & {
  readonly label: ComponentChildren
  /** Text after the label for screen readers, such as what the button acts on. */
  readonly suffix?: string | undefined
}

/** Renders a button with a text. It is quiet and submits no form, unless `class` and `type` say so. */
export function Button({ label, suffix, ...attributes }: ButtonProps) {
  return (
    <button type="button" class="quiet" {...attributes}>
      {label}
      {suffix === undefined ? null : <span class="sr-only">{suffix}</span>}
    </button>
  )
}

/** Returns a handler of `submit` that does not load another page. */
export function withoutReload(act: () => void): (event: Event) => void {
  return (event) => {
    event.preventDefault()
    act()
  }
}
