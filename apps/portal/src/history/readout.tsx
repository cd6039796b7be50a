import { formatRate } from '@tallystick/ui'
import { rateAt, type Slot, type StepSeries } from './step-series.ts'

type ReadoutProps = {
  readonly series: readonly StepSeries[]
  readonly shown: readonly StepSeries[]
  readonly slot: Slot
  readonly onToggle: (name: string) => void
}

/** Renders the rates at the cursor of a chart. The button of a series hides or shows its line. */
export function Readout({ series, shown, slot, onToggle }: ReadoutProps) {
  return (
    <div class="row readout">
      <p class="hint">{slot.text}</p>
      <ul>
        {series.map((each) => {
          const bps = rateAt(each, slot.start)
          const value = <strong>{bps === undefined ? '–' : formatRate(BigInt(bps))}</strong>
          return (
            <li key={each.name} class="series" style={toneOf(series, each)}>
              <button type="button" aria-pressed={shown.includes(each)} onClick={() => onToggle(each.name)}>
                <span>{each.name}</span>
                {value}
              </button>
            </li>
          )
        })}
      </ul>
    </div>
  )
}

/** Returns the place of a series between the first and the last colour. */
export function toneOf(series: readonly StepSeries[], each: StepSeries): { readonly '--tone': string } {
  return { '--tone': `${Math.round((series.indexOf(each) / Math.max(1, series.length - 1)) * 100)}%` }
}
