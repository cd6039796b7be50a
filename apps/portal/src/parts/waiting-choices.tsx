import type { ComponentChildren } from 'preact'

// Most services offer these.
const tenors = [7, 14, 30, 60, 90, 180, 360]

type WaitingChoicesProps = {
  readonly class: string
  readonly describe: (tenorDays: number) => ComponentChildren
}

/** Renders nothing, as large as the choice of a tenor will be. */
export function WaitingChoices({ class: className, describe }: WaitingChoicesProps) {
  return (
    <div class={`${className} is-waiting`} aria-hidden="true">
      {tenors.map((tenorDays) => (
        <label key={tenorDays}>
          <input type="radio" disabled />
          <span>{describe(tenorDays)}</span>
        </label>
      ))}
    </div>
  )
}
