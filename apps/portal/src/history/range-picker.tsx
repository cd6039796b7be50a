import { Button, Choices, FieldFault, withoutReload } from '@tallystick/ui'
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
        <Choices
          name="range"
          options={presets.map((days) => ({ value: days, label: `${days} days` }))}
          chosen={'days' in range ? range.days : undefined}
          onChoose={(days) => onChange({ days })}
        />
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
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    setDates({ from, to })
    setFault(undefined)
  }, [from, to])
  const field = (name: 'from' | 'to', label: string) => (
    <label class="flex middle soft">
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
      onSubmit={withoutReload(() => {
        const found = findRangeFault(dates)
        setFault(found)
        if (found === undefined) onChange(dates)
      })}
    >
      {field('from', 'From')}
      {field('to', 'To')}
      <Button type="submit" label="Show" />
      <FieldFault id="range-fault" text={fault} />
    </form>
  )
}
