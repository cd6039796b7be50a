type CheckListProps = {
  readonly legend: string
  readonly values: readonly string[]
  readonly chosen: readonly string[]
  readonly onChange: (chosen: readonly string[]) => void
}

/** Renders a check box for each value. */
export function CheckList({ legend, values, chosen, onChange }: CheckListProps) {
  const toggle = (value: string) =>
    onChange(chosen.includes(value) ? chosen.filter((other) => other !== value) : [...chosen, value])
  return (
    <fieldset class="field">
      <legend>{legend}</legend>
      {values.map((value) => (
        <label key={value} class="check">
          <input type="checkbox" checked={chosen.includes(value)} onChange={() => toggle(value)} /> {value}
        </label>
      ))}
    </fieldset>
  )
}
