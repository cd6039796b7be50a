import { json } from '@codemirror/lang-json'
import type { EditorView } from '@codemirror/view'
import type { Client } from '@tallystick/client'
import type { PortalInfo } from '@tallystick/core'
import { Button, Instant, Notice, useMessage } from '@tallystick/ui'
import { graphql, updateSchema } from 'cm6-graphql'
import { buildClientSchema, type GraphQLSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { useEffect, useRef, useState } from 'preact/hooks'
import type { KeySession } from '../data/session.ts'
import { useRecoveries } from '../reach/page-reachability.ts'
import { type Draft, parseVariables } from './draft.ts'
import { Editor } from './editor.tsx'
import { ExplorerBar, type Side } from './explorer-bar.tsx'
import { nameOf, type PastQuery } from './query-history.ts'
import { RequestPanel } from './request-panel.tsx'
import { Results } from './results.tsx'
import { insertField } from './schema/insert-field.ts'
import { SchemaBrowser } from './schema/schema-browser.tsx'
import { useExplorerDraft } from './use-explorer-draft.ts'
import { useRuns } from './use-runs.ts'

export type ExplorerProps = { readonly info: PortalInfo; readonly session: KeySession }

/** Renders the editors for query and variables, the request they make, and the result of each chain. */
export function Explorer({ info, session }: ExplorerProps) {
  const entered = useExplorerDraft(info, session)
  const { draft, change, fault, link, chainIds } = entered
  const runs = useRuns(session)
  const [side, setSide] = useState<Side>()
  const [message, say] = useMessage()
  const editor = useRef<EditorView>(null)
  const schema = useSchema(session, editor)
  const insert = (field: { readonly typeName: string; readonly fieldName: string }) => {
    if (!schema) return
    const cursor = editor.current?.state.selection.main.head ?? 0
    const inserted = insertField(draft.query, { schema, ...field, cursor })
    if ('fault' in inserted) return say(inserted.fault)
    // The next field of the same type goes to the same place.
    editor.current?.dispatch({
      changes: { from: 0, to: draft.query.length, insert: inserted.text },
      selection: { anchor: inserted.cursor },
      scrollIntoView: true,
    })
    say(`Inserted ${field.fieldName}.`)
  }
  if (chainIds.length === 0) return <Notice tone="calm" title="No chain of this service can be queried" />
  return (
    <div class="card explorer">
      {fault ? <Notice tone="warn" title="The link cannot be followed" text={fault} /> : null}
      <ExplorerBar {...{ entered, info, runs, side, message }} onSide={setSide} />
      <div class={side ? 'explorer-main grid has-side' : 'explorer-main grid'}>
        {side ? (
          <div class="explorer-side" id="explorer-side">
            {side === 'history' ? (
              <HistoryList
                past={runs.past}
                onForget={runs.forget}
                onLoad={({ query, variables, chains }) => {
                  change({ query, variables, chains: chainIds.filter((id) => chains.includes(id)) })
                  say('Loaded the query.')
                }}
              />
            ) : schema ? (
              <SchemaBrowser schema={schema} onInsert={insert} />
            ) : (
              <p class="hint">The schema is not loaded.</p>
            )}
          </div>
        ) : null}
        <Editors {...{ draft, editor }} onChange={change} onRun={() => runs.run(draft)} />
      </div>
      <RequestPanel {...{ draft, info, session, link }} onChange={change} onSay={say} />
      <Results outcome={runs.outcome} info={info} />
    </div>
  )
}

type EditorsProps = {
  readonly draft: Draft
  /** Receives the editor of the query. */
  readonly editor: { current: EditorView | null }
  readonly onChange: (part: Partial<Draft>) => void
  readonly onRun: () => void
}

function Editors({ draft: { query, variables }, editor, onChange, onRun }: EditorsProps) {
  return (
    <div class="explorer-editors grid">
      <div class="pane flex shrink pane-query">
        <h2 class="hint">Query</h2>
        <Editor
          label="GraphQL query"
          language={graphql()}
          text={query}
          onChange={(text) => onChange({ query: text })}
          onRun={onRun}
          onReady={(view) => {
            editor.current = view
          }}
        />
      </div>
      <div class="pane flex shrink pane-variables">
        <h2 class="hint">Variables</h2>
        <Editor
          label="Variables, as JSON"
          language={json()}
          text={variables}
          onChange={(text) => onChange({ variables: text })}
          onRun={onRun}
        />
        {parseVariables(variables) ? null : <p class="field-fault">The variables are not a JSON object.</p>}
      </div>
    </div>
  )
}

type HistoryListProps = {
  readonly past: readonly PastQuery[]
  readonly onLoad: (query: PastQuery) => void
  readonly onForget: () => void
}

/** Renders the queries that this browser ran. A click loads one. */
function HistoryList({ past, onLoad, onForget }: HistoryListProps) {
  if (past.length === 0) return <p class="hint">Queries that you run are listed here, in this browser only.</p>
  return (
    <>
      <ol class="past-queries">
        {past.map((each) => (
          <li key={each.at}>
            <button type="button" class="bare" onClick={() => onLoad(each)} title={each.query.slice(0, 400)}>
              <strong>{nameOf(each)}</strong>
              <span class="sub">
                <Instant seconds={BigInt(Math.floor(each.at / 1000))} /> · {describeChains(each.chains)}
              </span>
            </button>
          </li>
        ))}
      </ol>
      <Button label="Forget all" onClick={onForget} />
    </>
  )
}

function describeChains(chains: readonly number[]): string {
  return chains.length === 1 ? `chain ${chains[0]}` : `chains ${chains.join(', ')}`
}

/** Returns the schema once it is loaded. Without it there is no completion, but queries still run. */
function useSchema({ client }: KeySession, editor: { readonly current: EditorView | null }): GraphQLSchema | undefined {
  const [schema, setSchema] = useState<GraphQLSchema>()
  const recoveries = useRecoveries()
  useEffect(() => {
    const controller = new AbortController()
    fetchSchema(client, controller.signal).then(
      (loaded) => {
        if (editor.current) updateSchema(editor.current, loaded)
        setSchema(loaded)
      },
      () => undefined,
    )
    return () => controller.abort()
  }, [client, recoveries])
  return schema
}

/** Fetches the subgraph's schema by introspection. All chains have the same schema, so it queries one. */
async function fetchSchema(client: Client, signal: AbortSignal): Promise<GraphQLSchema> {
  const [first] = await client.data<IntrospectionQuery>({ query: getIntrospectionQuery(), signal })
  if (!first?.data) throw new Error('The schema could not be loaded.')
  return buildClientSchema(first.data)
}
