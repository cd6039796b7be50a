import type { PortalInfo } from '@tallystick/core'
import { Button, Icon, Select } from '@tallystick/ui'
import type { useExplorerDraft } from './use-explorer-draft.ts'
import type { useRuns } from './use-runs.ts'

/** Panel beside the editors. */
export type Side = 'schema' | 'history'

type BarProps = {
  readonly entered: ReturnType<typeof useExplorerDraft>
  readonly info: PortalInfo
  readonly runs: ReturnType<typeof useRuns>
  readonly side: Side | undefined
  readonly onSide: (side: Side | undefined) => void
  /** Shown for a few seconds and announced. */
  readonly message: string
}

/** Renders the choices above the editors. */
export function ExplorerBar({ entered, info, runs, side, onSide, message }: BarProps) {
  const { draft, change, chainIds, operations } = entered
  const isRunning = runs.outcome.status === 'running'
  return (
    <>
      <div class="row explorer-bar">
        <Examples entered={entered} />
        <ChainChoice {...{ info, chainIds, chosen: draft.chains }} onChange={(chains) => change({ chains })} />
        {operations.length < 2 ? null : (
          <Select
            aria-label="Operation"
            value={draft.operationName}
            options={operations.map((name) => [name, name])}
            onChoose={(operationName) => change({ operationName })}
          />
        )}
        <button type="button" class="primary" onClick={isRunning ? runs.cancel : () => runs.run(draft)}>
          <Icon name={isRunning ? 'cross' : 'play'} />
          {isRunning ? 'Cancel' : 'Run'}
        </button>
      </div>
      <div class="row explorer-bar explorer-sides">
        <SideButton name="schema" title="Schema" {...{ side, onSide }} />
        <SideButton name="history" title="History" {...{ side, onSide }} />
        <p class="hint good explorer-message" role="status">
          {message}
        </p>
        <span class="hint explorer-keys key-hint">Run: Ctrl+Enter or ⌘+Enter. Complete: Ctrl+Space.</span>
      </div>
    </>
  )
}

function Examples({ entered: { examples, draft, change } }: Pick<BarProps, 'entered'>) {
  const chosen = examples.findIndex(({ query }) => query === draft.query)
  const options = examples.map(({ name }, index) => [index, name] as const)
  const load = (index: string) => {
    const example = examples[Number(index)]
    if (example) change({ query: example.query, variables: example.variables })
  }
  return (
    <Select
      aria-label="Example"
      value={chosen}
      options={chosen === -1 ? [[-1, 'Your query'], ...options] : options}
      onChoose={load}
    />
  )
}

type SideButtonProps = Pick<BarProps, 'side' | 'onSide'> & { readonly name: Side; readonly title: string }

function SideButton({ name, title, side, onSide }: SideButtonProps) {
  const isOpen = side === name
  return (
    <Button
      label={title}
      aria-expanded={isOpen}
      aria-controls={isOpen ? 'explorer-side' : undefined}
      onClick={() => onSide(isOpen ? undefined : name)}
    />
  )
}

type ChainChoiceProps = {
  readonly info: PortalInfo
  /** Chains that can be queried. */
  readonly chainIds: readonly number[]
  readonly chosen: readonly number[]
  readonly onChange: (chains: readonly number[]) => void
}

/** Renders the choice of one or more chains. Renders nothing if there is only one. */
function ChainChoice({ info, chainIds, chosen, onChange }: ChainChoiceProps) {
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
