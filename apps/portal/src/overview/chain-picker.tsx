import type { PortalChain } from '../data/portal-info.ts'

/** Renders the choice of chain. Renders nothing if there is only one. */
export function ChainPicker({
  chains,
  chainId,
  onChange,
}: {
  readonly chains: readonly PortalChain[]
  readonly chainId: number
  readonly onChange: (chainId: number) => void
}) {
  if (chains.length < 2) return null
  return (
    <fieldset class="segments">
      <legend class="sr-only">Chain</legend>
      {chains.map(({ id, name }) => (
        <label key={id}>
          <input type="radio" name="chain" checked={id === chainId} onChange={() => onChange(id)} />
          <span>{name}</span>
        </label>
      ))}
    </fieldset>
  )
}
