import { useRef, useState } from 'preact/hooks'
import type { Session } from '../data/session.ts'
import { type Draft, formRequest } from './draft.ts'
import { addToHistory, readHistory, storeHistory } from './query-history.ts'
import { type QueryRun, sendRequest } from './send-request.ts'

export type Outcome =
  | { readonly status: 'idle' | 'running' }
  | { readonly status: 'faulty'; readonly fault: string }
  | { readonly status: 'failed'; readonly error: unknown }
  | { readonly status: 'done'; readonly run: QueryRun }

/** Runs drafts one at a time: a new run cancels the last one. Keeps the history of what was run. */
export function useRuns(session: Session) {
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
