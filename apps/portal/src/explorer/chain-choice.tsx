import type { PortalInfo } from '../data/portal-info.ts'

type ChainChoiceProps = {
  readonly info: PortalInfo
  /** Chains that can be queried. */
  readonly chainIds: readonly number[]
  readonly chosen: readonly number[]
  readonly onChange: (chains: readonly number[]) => void
}

/** Renders the choice of one or more chains. Renders nothing if there is only one. */
export function ChainChoice({ info, chainIds, chosen, onChange }: ChainChoiceProps) {
  if (chainIds.length < 2) return null
  return (
    <fieldset class="row chain-choice">
      <legend class="sr-only">Chains</legend>
      {chainIds.map((id) => (
        <label key={id} class="check check-field">
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            onChange={({ currentTarget: { checked } }) =>
              onChange(chainIds.filter((other) => (other === id ? checked : chosen.includes(other))))
            }
          />
          {info.chains.find((chain) => chain.id === id)?.name ?? `Chain ${id}`}
        </label>
      ))}
    </fieldset>
  )
}
