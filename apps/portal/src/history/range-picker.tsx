import { useEffect, useState } from 'preact/hooks'
import { datesOf, findRangeFault, presets, type Range } from './history-link.ts'

type RangePickerProps = {
  readonly range: Range
  /** New York date. */
  readonly today: string
  readonly onChange: (range: Range) => void
}

/** Renders the choice of a range: a number of days up to today, or two dates. */
export function RangePicker({ range, today, onChange }: RangePickerProps) {
  return (
    <div class="row range">
      <fieldset class="segments">
        <legend class="sr-only">Range</legend>
        {presets.map((days) => (
          <label key={days}>
            <input
              type="radio"
              name="range"
              checked={'days' in range && range.days === days}
              onChange={() => onChange({ days })}
            />
            <span>{days} days</span>
          </label>
        ))}
      </fieldset>
      <Dates {...datesOf(range, today)} onChange={onChange} />
    </div>
  )
}

type DatesProps = {
  readonly from: string
  readonly to: string
  readonly onChange: (range: Range) => void
}

/** Renders two dates. They apply on submit, because a date that is being typed is another date. */
function Dates({ from, to, onChange }: DatesProps) {
  const [dates, setDates] = useState({ from, to })
  const [fault, setFault] = useState<string | undefined>(undefined)
  useEffect(() => {
    setDates({ from, to })
    setFault(undefined)
  }, [from, to])
  const field = (name: 'from' | 'to', label: string) => (
    <label>
      <span>{label}</span>
      <input
        type="date"
        value={dates[name]}
        min="2000-01-01"
        max="2999-12-31"
        aria-invalid={fault !== undefined}
        aria-describedby={fault ? 'range-fault' : undefined}
        onInput={(event) => setDates({ ...dates, [name]: event.currentTarget.value })}
      />
    </label>
  )
  return (
    <form
      class="row range-dates"
      aria-label="Dates, New York"
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        const found = findRangeFault(dates)
        setFault(found)
        if (found === undefined) onChange(dates)
      }}
    >
      {field('from', 'From')}
      {field('to', 'To')}
      <button type="submit" class="quiet">
        Show
      </button>
      {fault ? (
        <p id="range-fault" class="field-fault" role="alert">
          {fault}
        </p>
      ) : null}
    </form>
  )
}
