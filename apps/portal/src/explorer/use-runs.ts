import { type ChainResult, createClient } from '@tallystick/client'
import { useRef, useState } from 'preact/hooks'
import type { KeySession } from '../data/session.ts'
import type { ApiRequest } from '../docs/requests/request.ts'
import { splitJsonList } from '../json/reformat-json.ts'
import { type Draft, formRequest, isPlainDraft } from './draft.ts'
import { addToHistory, readHistory, storeHistory } from './query-history.ts'

export type QueryRun = {
  readonly results: readonly ChainResult<unknown>[]
  /** JSON text of each result as it was received, in order. */
  readonly bodies: readonly string[]
  readonly tookMs: number
}

export type Outcome =
  | { readonly status: 'idle' | 'running' }
  | { readonly status: 'faulty'; readonly fault: string }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'done'; readonly run: QueryRun }

/** Runs drafts one at a time: a new run cancels the last one. Keeps the history of what was run. */
export function useRuns(session: KeySession) {
  const [outcome, setOutcome] = useState<Outcome>({ status: 'idle' })
  const [past, setPast] = useState(readHistory)
  const running = useRef<AbortController | undefined>(undefined)
  const cancel = () => {
    running.current?.abort()
    running.current = undefined
    setOutcome({ status: 'idle' })
  }
  const run = (draft: Draft) => {
    cancel()
    const { request, fault } = { request: undefined, ...formRequest(draft) }
    if (!request) return setOutcome({ status: 'faulty', fault: fault as string })
    const controller = new AbortController()
    running.current = controller
    const { query, variables, chains } = draft
    // Another tab may have added to it.
    const next = addToHistory(readHistory(), { query, variables, chains, at: Date.now() })
    storeHistory(next)
    setPast(next)
    setOutcome({ status: 'running' })
    sendRequest(session, { request, draft, signal: controller.signal }).then(
      (done) => running.current === controller && setOutcome({ status: 'done', run: done }),
      (error: unknown) => running.current === controller && setOutcome({ status: 'failed', error }),
    )
  }
  const forget = () => {
    storeHistory([])
    setPast([])
  }
  return { outcome, run, cancel, past, forget }
}

type Sending = { readonly request: ApiRequest; readonly draft: Draft; readonly signal: AbortSignal }

/**
 * Sends a request exactly as it is shown, once and without retries. The SDK only reads the response: its own request is
 * replaced.
 */
async function sendRequest({ apiKey }: KeySession, { request, draft, signal }: Sending): Promise<QueryRun> {
  const { method, path, headers, body = null } = request
  let bodies: readonly string[] = []
  const send: typeof globalThis.fetch = async (_, init) => {
    const response = await fetch(path, {
      method,
      headers: { ...Object.fromEntries(headers), 'x-api-key': apiKey },
      body,
      signal: init?.signal ?? null,
      redirect: 'manual',
      cache: 'no-store',
    })
    if (!response.ok) return response
    const text = await response.text()
    const answer: unknown = JSON.parse(text)
    bodies = splitJsonList(text) ?? [text]
    const list = isPlainDraft(draft) ? [toEntry(answer as PlainAnswer, draft.chains[0] as number)] : answer
    return new Response(JSON.stringify(list), { headers: response.headers })
  }
  const client = createClient({ baseUrl: location.origin, apiKey, retries: 0, fetch: send })
  const startedAt = performance.now()
  const results = await client.data({ query: draft.query, chains: draft.chains, signal })
  return { results, bodies, tookMs: performance.now() - startedAt }
}

/** Returns the answer of `/data/<chainid>` in the form that an entry of `/data` has. */
function toEntry({ data = null, errors }: PlainAnswer, chain: number) {
  return { chain, data, errors: errors?.map(({ message, extensions }) => ({ message, code: extensions?.code })) }
}

type PlainAnswer = {
  readonly data?: unknown
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}
