import { json } from '@codemirror/lang-json'
import type { EditorView } from '@codemirror/view'
import { graphql, updateSchema } from 'cm6-graphql'
import { useEffect, useRef, useState } from 'preact/hooks'
import { listDataChains, type PortalInfo } from '../data/portal-info.ts'
import type { Session } from '../data/session.ts'
import { Icon } from '../parts/icons.tsx'
import { ErrorNotice, Notice } from '../parts/notice.tsx'
import { Editor } from './editor.tsx'
import { listExamples } from './examples.ts'
import { fetchSchema } from './fetch-schema.ts'
import { bodyOf, type QueryRun, runQuery } from './run-query.ts'

export type ExplorerProps = { readonly info: PortalInfo; readonly session: Session }

type Outcome =
  | { readonly status: 'idle' | 'running' }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'bad-variables' }
  | { readonly status: 'done'; readonly run: QueryRun }

const noWallet = '0x0000000000000000000000000000000000000000'

/** Renders the editors for query and variables, and the result with its block. */
export function Explorer({ info, session }: ExplorerProps) {
  const examples = listExamples(info.visitor?.wallets[0] ?? noWallet)
  const { editors, run, outcome, load } = useExplorer({ info, session })
  const [chosen, setChosen] = useState(0)
  return (
    <div class="explorer">
      <div class="explorer-bar">
        <label class="sr-only" for="example">
          Example
        </label>
        <select
          id="example"
          value={chosen}
          onChange={(event) => {
            const index = Number(event.currentTarget.value)
            setChosen(index)
            load(examples[index])
          }}
        >
          {examples.map(({ name }, index) => (
            <option key={name} value={index}>
              {name}
            </option>
          ))}
        </select>
        <span class="hint explorer-keys">Run: Ctrl+Enter or ⌘+Enter. Complete: Ctrl+Space.</span>
        <button type="button" class="primary" onClick={run} disabled={outcome.status === 'running'}>
          <Icon name="play" />
          {outcome.status === 'running' ? 'Running…' : 'Run'}
        </button>
      </div>
      <div class="explorer-panes">
        <div class="explorer-left">
          <div class="pane pane-query">
            <h2>Query</h2>
            <Editor
              label="GraphQL query"
              language={graphql()}
              onRun={run}
              onReady={(view) => {
                editors.current.query = view
                load(examples[0])
              }}
            />
          </div>
          <div class="pane pane-variables">
            <h2>Variables</h2>
            <Editor
              label="Variables, as JSON"
              language={json()}
              onRun={run}
              onReady={(view) => {
                editors.current.variables = view
                load(examples[0])
              }}
            />
          </div>
        </div>
        <div class="pane pane-result">
          <h2>
            Result <RunFacts outcome={outcome} />
          </h2>
          <ResultNotice outcome={outcome} />
          <Editor
            label="Result, as JSON"
            language={json()}
            isReadOnly
            onReady={(view) => {
              editors.current.result = view
            }}
          />
        </div>
      </div>
    </div>
  )
}

type Editors = { query?: EditorView; variables?: EditorView; result?: EditorView }

function useExplorer({ info, session }: ExplorerProps) {
  const editors = useRef<Editors>({})
  const [outcome, setOutcome] = useState<Outcome>({ status: 'idle' })
  const chains = listDataChains(info)
  useEffect(() => {
    const controller = new AbortController()
    fetchSchema(session.client, controller.signal).then(
      (schema) => editors.current.query && updateSchema(editors.current.query, schema),
      // Without the schema the editor has no completion, but queries still run.
      () => undefined,
    )
    return () => controller.abort()
  }, [session])
  const load = (example: { readonly query: string; readonly variables: object } | undefined) => {
    if (!example) return
    setText(editors.current.query, example.query)
    setText(editors.current.variables, JSON.stringify(example.variables, undefined, 2))
  }
  const run = () => {
    const variables = parseVariables(textOf(editors.current.variables))
    if (!variables) return setOutcome({ status: 'bad-variables' })
    setOutcome({ status: 'running' })
    const request = { query: textOf(editors.current.query), variables, chains, signal: new AbortController().signal }
    runQuery(session, request).then(
      (done) => {
        setText(editors.current.result, bodyOf(done))
        setOutcome({ status: 'done', run: done })
      },
      (error: unknown) => {
        setText(editors.current.result, '')
        setOutcome({ status: 'failed', error })
      },
    )
  }
  return { editors, run, outcome, load }
}

function RunFacts({ outcome }: { readonly outcome: Outcome }) {
  if (outcome.status !== 'done') return null
  const { tookMs, results } = outcome.run
  const from = results.flatMap(({ chain, block, lagSeconds }) => {
    if (block === undefined) return []
    const age = lagSeconds === undefined ? '' : `, ${lagSeconds} s old`
    return `chain ${chain} at block ${block.toLocaleString('en-US')}${age}`
  })
  return (
    <span class="run-facts" role="status">
      {[`${Math.round(tookMs)} ms`, ...from].join(' · ')}
    </span>
  )
}

function ResultNotice({ outcome }: { readonly outcome: Outcome }) {
  switch (outcome.status) {
    case 'bad-variables':
      return (
        <Notice tone="warn" title="The variables are not a JSON object">
          Write {'{ "name": "value" }'}, or {'{}'} for no variables.
        </Notice>
      )
    case 'failed':
      return <ErrorNotice error={outcome.error} />
    case 'idle':
      return <p class="hint pane-hint">Run the query to see its result here.</p>
    default:
      return null
  }
}

function parseVariables(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = text.trim() === '' ? {} : JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined
  } catch {
    return undefined
  }
}

function textOf(view: EditorView | undefined): string {
  return view?.state.doc.toString() ?? ''
}

function setText(view: EditorView | undefined, text: string): void {
  view?.dispatch({ changes: { from: 0, to: view.state.doc.length, insert: text } })
}
