import { QueryError } from '../query-error.ts'

/** Creates the error for a store without blocks. */
export function notStarted(deployment: string): QueryError {
  return new QueryError(
    `subgraph ${deployment} has not started syncing yet. Wait for it to ingest a few blocks before querying it`,
    { code: 'not_started' },
  )
}
