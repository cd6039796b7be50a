import { formatExact } from '@tallystick/ui'

type DollarInputProps = {
  readonly id: string
  readonly text: string
  readonly setText: (text: string) => void
  /** Undefined if the text is not an amount. */
  readonly principal: bigint | undefined
  readonly isValid: boolean
  readonly maxLength?: number
}

/** Renders a field for an amount in dollars. The element with the id `<id>-hint` describes it. */
export function DollarInput({ id, text, setText, principal, isValid, maxLength }: DollarInputProps) {
  return (
    <div class="amount">
      <span class="amount-sign muted" aria-hidden="true">
        $
      </span>
      <input
        id={id}
        inputMode="decimal"
        autocomplete="off"
        maxLength={maxLength}
        value={text}
        onInput={(event) => setText(event.currentTarget.value)}
        onBlur={() => principal !== undefined && setText(formatExact(principal))}
        aria-invalid={!isValid}
        aria-describedby={`${id}-hint`}
      />
    </div>
  )
}
