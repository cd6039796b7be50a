import { useRef } from 'preact/hooks'

/**
 * Keeps the focus in a part of the page. If the element that has it disappears or is disabled, it goes to the element of the
 * part with `data-focus`, else back to the disabled element as soon as that is enabled again, else to the part itself, which
 * needs `tabIndex={-1}`. Returns the part's `ref`.
 */
export function useKeptFocus(): (part: HTMLElement | null) => void {
  const stop = useRef<() => void>(undefined)
  const ref = useRef((part: HTMLElement | null) => {
    stop.current?.()
    stop.current = part ? keepFocus(part) : undefined
  })
  return ref.current
}

function keepFocus(part: HTMLElement): () => void {
  /** Has the focus, or had it last. Undefined if the visitor moved it out of the part. */
  let last: HTMLElement | undefined
  let disabled: HTMLElement | undefined
  const onFocus = ({ target }: FocusEvent) => {
    last = target as HTMLElement
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (!(relatedTarget instanceof Element) || part.contains(relatedTarget)) return
    // A dialog gives the focus back.
    if (!relatedTarget.closest('dialog')) last = undefined
  }
  const look = () => {
    if (!last || isUsable(last) || !isLost(last)) return
    const before = disabled && isUsable(disabled) ? disabled : undefined
    if (last.isConnected) disabled = last
    const target = part.querySelector<HTMLElement>('[data-focus]') ?? before ?? part
    target.focus()
  }
  part.addEventListener('focusin', onFocus)
  part.addEventListener('focusout', onBlur)
  const observer = new MutationObserver(look)
  observer.observe(part, { childList: true, subtree: true, attributeFilter: ['disabled', 'hidden'] })
  return () => {
    observer.disconnect()
    // After the part itself has disappeared.
    queueMicrotask(() => {
      if (last && !last.isConnected && isLost(last)) document.getElementById('main')?.focus()
    })
  }
}

/** Returns whether nothing else has the focus. A browser takes it from a disabled element only when it paints. */
function isLost(last: HTMLElement): boolean {
  return document.activeElement === document.body || document.activeElement === last
}

function isUsable(element: HTMLElement): boolean {
  return element.isConnected && !element.matches(':disabled')
}
