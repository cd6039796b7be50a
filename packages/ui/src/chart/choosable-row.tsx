import type { ComponentChildren } from 'preact'

type ChoosableRowProps = {
  /** Name of the radio buttons of this table. */
  readonly group: string
  readonly isChosen: boolean
  /** Undefined if the row has no point. */
  readonly onChoose: (() => void) | undefined
  readonly header: ComponentChildren
  readonly children: ComponentChildren
}

/**
 * Renders a table row that chooses a point of a chart. A radio button in its header does so by keyboard: the rows of a table
 * are then one group, whose arrow keys move the choice.
 */
export function ChoosableRow({ group, isChosen, onChoose, header, children }: ChoosableRowProps) {
  return (
    <tr class={onChoose && (isChosen ? 'choosable is-chosen' : 'choosable')} onClick={onChoose}>
      <th scope="row">
        {onChoose ? (
          <label>
            <input type="radio" name={group} checked={isChosen} onChange={onChoose} />
            {header}
          </label>
        ) : (
          header
        )}
      </th>
      {children}
    </tr>
  )
}
