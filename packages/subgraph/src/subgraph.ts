import type { Database } from '@tallystick/database'
import { deploymentOf } from './deployment-of.ts'
import type { Answer } from './query/answer/write-answer.ts'
import { createQueryEngine, type QueryResult } from './query/create-query-engine.ts'
import type { QueryRequest } from './query/request/read-request.ts'
import { buildApiSchema } from './schema/api-schema.ts'
import { parseSchema } from './schema/parse-schema.ts'
import type { Block } from './store/block.ts'
import type { BlockChanges, EntityChange } from './store/collect-changes.ts'
import { createKnownHead } from './store/known-head.ts'
import { loadEntities, type StoredEntity } from './store/load-entities.ts'
import { openStore } from './store/open-store.ts'
import { findBlockAt, readHead } from './store/read-block.ts'

export type SubgraphOptions = {
  readonly database: Database
  /** SDL with `@entity` and `@derivedFrom`. */
  readonly schema: string
  /** The PostgreSQL schema that holds the data: one subgraph each. */
  readonly namespace: string
  /** What `_meta { deployment }` says; by default it is made from the schema. */
  readonly deployment?: string | undefined
  /** How long a query may take, 10 s by default. PGlite cannot break off a statement, so there it is looked at between them. */
  readonly queryTimeoutMs?: number | undefined
  /** How many entities an answer may hold, 100,000 by default. */
  readonly answerEntitiesMax?: number | undefined
  /** Is told of failures that are not the query's fault; the client gets a fixed text for them. */
  readonly onInternalError?: ((error: unknown) => void) | undefined
}

export type CommitOptions = {
  /** The hash the head must have: refused if another writer moved it since the changes were made. */
  readonly after?: string | undefined
  /** Makes the indexes of the attributes first, as `commit` does. */
  readonly isIndexed?: boolean | undefined
}

export type Subgraph = {
  /** The latest block this process knows of: by its own commits and reverts, and from every query it answered. */
  readonly head: Block | undefined
  readonly deployment: string
  /** Asks the database for the latest block: another process may have committed it. */
  readHead(): Promise<Block | undefined>
  /** The latest block at or below a number: to find where another chain forks off. */
  findBlockAt(number: number): Promise<Block | undefined>
  /** Reads entities at the head by their ids, in API form, references as ids: for mappings that count. */
  load(entity: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredEntity>>
  /** Writes a block and its changes together or not at all. The first one also makes the indexes of the attributes. */
  commit(block: Block, changes: readonly EntityChange[]): Promise<void>
  /**
   * Writes many blocks in one transaction, with one statement of each kind per entity: for a backfill. Until the first
   * `commit` the attributes have no indexes, which makes it faster and queries slower.
   */
  commitMany(blocks: readonly BlockChanges[], options?: CommitOptions): Promise<void>
  /** Drops everything above a block. */
  revert(blockNumber: number): Promise<void>
  /** Answers a query. Never throws: what goes wrong is in `errors`. */
  execute(request: QueryRequest): Promise<QueryResult>
  /** As `execute`, with the data as JSON text and the head it is from. */
  answer(request: QueryRequest): Promise<Answer>
}

const queryTimeoutMsDefault = 10_000
const answerEntitiesMaxDefault = 100_000

/** Opens a subgraph: an index of entities by block that answers graph-node's query dialect. */
export async function openSubgraph(options: SubgraphOptions): Promise<Subgraph> {
  const { database, schema, namespace } = options
  const model = parseSchema(schema)
  const api = buildApiSchema(model)
  const store = await openStore(database, { model, namespace })
  const deployment = options.deployment ?? deploymentOf(schema)
  const answerQuery = createQueryEngine({
    api,
    store,
    deployment,
    timeoutMs: options.queryTimeoutMs ?? queryTimeoutMsDefault,
    rowsMax: options.answerEntitiesMax ?? answerEntitiesMaxDefault,
    onInternalError: options.onInternalError ?? (() => undefined),
  })
  const known = createKnownHead(await readHead(database, store.layout))
  const answer = async (request: QueryRequest) => {
    const learn = known.ask()
    const answered = await answerQuery(request)
    if (answered.head) learn(answered.head)
    return answered
  }
  const commitMany = async (blocks: readonly BlockChanges[], { after, isIndexed }: CommitOptions = {}) => {
    if (isIndexed) await store.ensureIndexes()
    const head = await store.commit(blocks, after)
    // Asked only now: a query that ran meanwhile may have seen the state before.
    known.ask()(head)
  }
  return {
    get head() {
      return known.head
    },
    deployment,
    readHead: async () => {
      const learn = known.ask()
      learn(await readHead(database, store.layout))
      return known.head
    },
    findBlockAt: (number) => findBlockAt(database, { layout: store.layout, number }),
    load: (entity, ids) => loadEntities(database, { layout: store.layout, entity, ids }),
    commit: (block, changes) => commitMany([{ block, changes }], { isIndexed: true }),
    commitMany,
    revert: async (blockNumber) => {
      const head = await store.revert(blockNumber)
      known.ask()(head)
    },
    execute: async (request) => toResult(await answer(request)),
    answer,
  }
}

function toResult({ data, errors }: Answer): QueryResult {
  return { ...(data !== undefined && { data: JSON.parse(data) }), ...(errors && { errors }) }
}
