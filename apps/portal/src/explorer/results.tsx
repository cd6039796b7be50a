import { json } from '@codemirror/lang-json'
import type { ChainResult } from '@tallystick/client'
import type { PortalInfo } from '@tallystick/core'
import { Notice } from '@tallystick/ui'
import { reformatJson } from '../json/reformat-json.ts'
import { ErrorNotice } from '../parts/error-notice.tsx'
import { Editor } from './editor.tsx'
import type { Outcome, QueryRun } from './use-runs.ts'

/** Renders the result of each chain: side by side where the screen is wide enough. */
export function Results({ outcome, info }: { readonly outcome: Outcome; readonly info: PortalInfo }) {
  return (
    <section class="results ruled-top" aria-labelledby="results-heading">
      <h2 id="results-heading" class="hint flex wrap apart">
        Result {outcome.status === 'done' ? <RunFacts run={outcome.run} /> : null}
      </h2>
      <OutcomeNotice outcome={outcome} />
      {outcome.status === 'done' ? (
        <div class="result-columns grid">
          {outcome.run.results.map((result, index) => (
            <ResultOfChain
              key={result.chain}
              result={result}
              body={outcome.run.bodies[index] ?? 'null'}
              name={info.chains.find(({ id }) => id === result.chain)?.name ?? `Chain ${result.chain}`}
            />
          ))}
        </div>
      ) : null}
    </section>
  )
}

type ResultOfChainProps = {
  readonly result: ChainResult<unknown>
  readonly body: string
  readonly name: string
}

function ResultOfChain({ result, body, name }: ResultOfChainProps) {
  return (
    <article class="pane flex shrink">
      <h3>{name}</h3>
      {result.errors?.map(({ message, code }, index) => (
        <Notice
          key={index}
          tone="bad"
          title={result.data === null ? `No data from ${name}` : `Part of the data from ${name} is missing`}
        >
          {message} {code === undefined ? null : <code class="mono">{code}</code>}
        </Notice>
      ))}
      <Editor label={`Result of chain ${result.chain}, as JSON`} language={json()} text={reformatJson(body, '  ')} />
    </article>
  )
}

function RunFacts({ run: { tookMs, results } }: { readonly run: QueryRun }) {
  const from = results.flatMap(({ chain, block, lagSeconds }) => {
    if (block === undefined) return []
    const age = lagSeconds === undefined ? '' : `, ${lagSeconds} s old`
    return `chain ${chain} at block ${block.toLocaleString('en-US')}${age}`
  })
  return (
    <span class="run-facts regular" role="status">
      {[`${Math.round(tookMs)} ms`, ...from].join(' · ')}
    </span>
  )
}

function OutcomeNotice({ outcome }: { readonly outcome: Outcome }) {
  switch (outcome.status) {
    case 'faulty':
      return <Notice tone="warn" title="The request was not sent" text={outcome.fault} />
    case 'failed':
      return <ErrorNotice error={outcome.error} />
    case 'idle':
      return <p class="hint">Run the query to see its result here.</p>
    case 'running':
      return (
        <p class="hint" role="status">
          Running…
        </p>
      )
    default:
      return null
  }
}
