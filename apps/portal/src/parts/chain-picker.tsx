import type { PortalChain } from '@tallystick/core'
import { Choices } from '@tallystick/ui'

type ChainPickerProps = {
  /** Name of the group, unique on the page. */
  readonly name: string
  readonly chains: readonly PortalChain[]
  readonly chainId: number
  readonly onChange: (chainId: number) => void
}

/** Renders the choice of chain. Renders nothing if there is only one. */
export function ChainPicker({ name, chains, chainId, onChange }: ChainPickerProps) {
  if (chains.length < 2) return null
  return (
    <fieldset class="segments">
      <legend class="sr-only">Chain</legend>
      <Choices
        name={name}
        options={chains.map(({ id, name: label }) => ({ value: id, label }))}
        chosen={chainId}
        onChoose={onChange}
      />
    </fieldset>
  )
}
