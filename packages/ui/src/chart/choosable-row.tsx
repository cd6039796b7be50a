import type { ComponentChildren } from 'preact'

type ChoosableRowProps = {
  /** Name of the radio buttons of this table. */
  readonly group: string
  readonly isChosen: boolean
  readonly onChoose: () => void
  readonly header: ComponentChildren
  readonly children: ComponentChildren
}

/**
 * Renders a table row that chooses a point of a chart. A radio button in its header does so by keyboard: the rows of a table
 * are then one group, whose arrow keys move the choice.
 */
export function ChoosableRow({ group, isChosen, onChoose, header, children }: ChoosableRowProps) {
  return (
    <tr class={isChosen ? 'choosable is-chosen' : 'choosable'} onClick={onChoose}>
      <th scope="row">
        <label>
          <input type="radio" name={group} checked={isChosen} onChange={onChoose} />
          {header}
        </label>
      </th>
      {children}
    </tr>
  )
}
