import type { ComponentChildren, SelectHTMLAttributes } from 'preact'

type ChoicesProps<Value> = {
  /** Name of the group, unique on the page. */
  readonly name: string
  readonly options: readonly { readonly value: Value; readonly label: ComponentChildren; readonly title?: string }[]
  readonly chosen: Value | undefined
  readonly onChoose: (value: Value) => void
}

/** Renders radio buttons that look like segments. The parent has the class `segments`. */
export function Choices<Value extends string | number | boolean>({
  name,
  options,
  chosen,
  onChoose,
}: ChoicesProps<Value>) {
  return (
    <>
      {options.map(({ value, label, title }) => (
        <label key={value}>
          <input type="radio" name={name} checked={value === chosen} onChange={() => onChoose(value)} />
          <span title={title}>{label}</span>
        </label>
      ))}
    </>
  )
}

type SelectProps = Pick<SelectHTMLAttributes, 'id' | 'value' | 'disabled' | 'aria-label'> & {
  readonly options: readonly (readonly [value: string | number, label: string])[]
  readonly onChoose: (value: string) => void
}

/** Renders a list to choose one value from. */
export function Select({ options, onChoose, ...attributes }: SelectProps) {
  return (
    <select {...attributes} onChange={(event) => onChoose(event.currentTarget.value)}>
      {options.map(([value, label]) => (
        <option key={value} value={value}>
          {label}
        </option>
      ))}
    </select>
  )
}
