import { TallystickError } from '@tallystick/core'
import { loadConfig } from '@tallystick/service'
import { graphqlSchemaOf, protocolSchema } from '@tallystick/subgraph'
import { SourceFailedError } from './ask-patiently.ts'
import { UnusableSourceError } from './choose-block.ts'
import { type Comparison, compareSources } from './compare-sources.ts'
import type { ComparedSource } from './compared-source.ts'
import { closeAll, openComparedSources } from './open-compared-sources.ts'

/** Result of the comparison of two sources, by their names. */
export type PairResult = { readonly sources: readonly [string, string]; readonly comparison: Comparison }

export type RunComparisonOptions = {
  readonly config: string
  readonly chain: number
  readonly queries: number
  readonly seed: number
  readonly block?: number | undefined
  readonly url?: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
  /** Shows the progress. Undefined when there is nothing to show any more. */
  readonly report: (text: string | undefined) => void
}

/** Compares the first source of a chain with each of the others, one after the other. */
export async function runComparison({ config: path, chain, env, report, ...options }: RunComparisonOptions) {
  const config = loadConfig(path, { env, secrets: 'optional' })
  const results: PairResult[] = []
  const startBlock = config.chains.find(({ id }) => id === chain)?.subgraph?.embedded?.startBlock ?? 0
  const opened = await openComparedSources(config, { chainId: chain, url: options.url }).catch(asProblem)
  if ('problem' in opened) return [{ sources: ['first', 'second'], comparison: opened }] satisfies PairResult[]
  const [reference, ...others] = opened as [ComparedSource, ...ComparedSource[]]
  const schema = graphqlSchemaOf(protocolSchema)
  try {
    for (const other of others) {
      const onProgress = (done: number) =>
        report(`${reference.name} and ${other.name}: ${done} of ${options.queries} queries`)
      const comparing = compareSources([reference, other], { ...options, schema, startBlock, onProgress })
      results.push({ sources: [reference.name, other.name], comparison: await comparing.catch(asProblem) })
      report(undefined)
    }
  } finally {
    await closeAll(opened)
  }
  return results
}

/** Returns the reason why sources cannot be compared. Throws every other error. */
function asProblem(error: unknown): { readonly problem: string } {
  const isKnown =
    error instanceof UnusableSourceError ||
    error instanceof SourceFailedError ||
    (error instanceof TallystickError && error.code === 'database_unavailable')
  if (!isKnown) throw error
  return { problem: error.message }
}
