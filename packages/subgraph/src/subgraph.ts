import type { Database, Transaction } from '@tallystick/database'
import { describeFailure, type ErrorEntry, timedOut } from './query/answer/describe-failure.ts'
import { type Answer, writeAnswer, writeFailures } from './query/answer/write-answer.ts'
import { createRequestReader, type QueryRequest } from './query/request/read-request.ts'
import { createIntrospect } from './query/run/introspect.ts'
import { type RunOptions, runQuery } from './query/run/run-query.ts'
import { createCompiler } from './query/sql/create-compiler.ts'
import { type ApiSchema, apiSchemaOf } from './schema/api-schema.ts'
import { deploymentOf } from './schema/schema-id-of.ts'
import type { Block, Head } from './store/block.ts'
import type { BlockChanges, EntityChange } from './store/collect-changes.ts'
import { type Committed, rowsAt } from './store/current-rows.ts'
import { findBlockAt, findFirstBlock, type Layout, readHead } from './store/layout.ts'
import { createLoad, findVersions, type StoredEntity, type Versions } from './store/load-entities.ts'
import { createIndexes, openStore, writeFault } from './store/open-store.ts'
import { type MapAgain, replaceAfter } from './store/replace-after.ts'
import { commitBlocks, revertTo } from './store/write-blocks.ts'

type SubgraphOptions = {
  readonly database: Database
  /** SDL with `@entity` and `@derivedFrom`. */
  readonly schema: string
  /** PostgreSQL schema for the data. Each subgraph needs its own. */
  readonly namespace: string
  /** Value of `_meta { deployment }`. By default it is derived from the schema. */
  readonly deployment?: string | undefined
  /** Time limit of a query, 10 s by default. PGlite cannot cancel a statement, so there it applies between statements. */
  readonly queryTimeoutMs?: number | undefined
  /** Highest number of entities in an answer, 100,000 by default. */
  readonly answerEntitiesMax?: number | undefined
  /** Receives internal errors. The client gets a fixed text for them. */
  readonly onInternalError?: ((error: unknown) => void) | undefined
}

type CommitOptions = {
  /** Required hash of the head. The commit is refused if another writer changed it. */
  readonly after?: string | undefined
  /** Required revision of the index, beside `after`. The commit is refused if the index was replaced or repaired since. */
  readonly revision?: number | undefined
  /** Creates the indexes of the attributes first, as `commit` does. */
  readonly isIndexed?: boolean | undefined
}

export type Subgraph = {
  /** Latest block that this process knows, from its commits, reverts and queries. */
  readonly head: Head | undefined
  readonly deployment: string
  /** Reads the latest block from the database. Another process may have committed it. */
  readHead(): Promise<Head | undefined>
  /** Finds the latest block at or below a number, for example to locate a fork. */
  findBlockAt(number: number): Promise<Block | undefined>
  /** Reads entities at the head by id, in API form, with references as ids. Mappings use it. */
  load(entity: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredEntity>>
  /**
   * As `load`, but takes what this process committed last from memory. For changes that are committed `after` the head: if
   * another process wrote since, the commit is refused.
   */
  loadAfter(entity: string, ids: readonly string[]): Promise<ReadonlyMap<string, StoredEntity>>
  /** Writes a block and its changes in one transaction. The first commit also creates the indexes of the attributes. */
  commit(block: Block, changes: readonly EntityChange[]): Promise<void>
  /**
   * Writes many blocks in one transaction, with one statement of each kind per entity, for a backfill. Until the first
   * `commit` the attributes have no indexes: writes are faster, queries slower.
   */
  commitMany(blocks: readonly BlockChanges[], options?: CommitOptions): Promise<void>
  /** Deletes all blocks above a number, with their changes. */
  revert(blockNumber: number): Promise<void>
  /**
   * Replaces all blocks above a number in one transaction, to repair an index. Readers see either the old blocks or the new
   * ones. Throws, and changes nothing, if an entity would be lost.
   */
  replace(blockNumber: number, map: MapAgain): Promise<void>
  /** Records what contradicts the index, or that nothing does. `_meta { hasIndexingErrors }` tells it. */
  setFault(fault: string | undefined): Promise<void>
  /** Returns the blocks in which an entity was created and last changed. Undefined if there is no such entity. */
  findVersions(entity: string, id: string): Promise<Versions | undefined>
  /** Finds the first stored block. */
  findFirstBlock(): Promise<Block | undefined>
  /** Answers a query. It never throws: errors are in `errors`. */
  execute(request: QueryRequest): Promise<QueryResult>
  /** Answers a query with the data as JSON text, the head it was read from, and the code of a failure. */
  answer(request: QueryRequest): Promise<Answer>
  /** Returns the errors of a text that is not a valid query. It is not run. */
  findErrors(query: string): readonly ErrorEntry[]
}

const queryTimeoutMsDefault = 10_000
const answerEntitiesMaxDefault = 100_000

/** Opens a subgraph: an index of entities by block that answers graph-node's query dialect. */
export async function openSubgraph(options: SubgraphOptions): Promise<Subgraph> {
  const { database, schema, namespace } = options
  const api = apiSchemaOf(schema)
  const layout = await openStore(database, { model: api.model, namespace })
  const deployment = options.deployment ?? deploymentOf(schema)
  const engine = createQueryEngine({
    api,
    database,
    layout,
    deployment,
    timeoutMs: options.queryTimeoutMs ?? queryTimeoutMsDefault,
    rowsMax: options.answerEntitiesMax ?? answerEntitiesMaxDefault,
    onInternalError: options.onInternalError ?? (() => undefined),
  })
  const known = createKnownHead(await readHead(database, layout))
  const answer = async (request: QueryRequest) => {
    const setHead = known.startRead()
    const answered = await engine.answer(request)
    if (answered.head) setHead(answered.head)
    return answered
  }
  const { write, commitMany, loadAfter } = createWriter({ database, layout, known })
  return {
    get head() {
      return known.head
    },
    deployment,
    readHead: async () => {
      const setHead = known.startRead()
      setHead(await readHead(database, layout))
      return known.head
    },
    findBlockAt: (number) => findBlockAt(database, { layout, number }),
    load: createLoad(database, layout),
    loadAfter,
    commit: (block, changes) => commitMany([{ block, changes }], { isIndexed: true }),
    commitMany,
    revert: (blockNumber) => write((transaction) => revertTo(transaction, { layout, blockNumber })),
    replace: (blockNumber, map) => write((transaction) => replaceAfter(transaction, { layout, blockNumber, map })),
    setFault: (fault) => write((transaction) => writeFault(transaction, { layout, fault })),
    findVersions: (entity, id) => findVersions(database, { layout, entity, id }),
    findFirstBlock: () => findFirstBlock(database, layout),
    execute: async (request) => toResult(await answer(request)),
    answer,
    findErrors: engine.findErrors,
  }
}

function toResult({ data, errors }: Answer): QueryResult {
  return { ...(data !== undefined && { data: JSON.parse(data) }), ...(errors && { errors }) }
}

type WriterParts = {
  readonly database: Database
  readonly layout: Layout
  readonly known: ReturnType<typeof createKnownHead>
}

function createWriter({ database, layout, known }: WriterParts) {
  let committed: Committed | undefined
  let isIndexed = false
  const write = async (work: (transaction: Transaction) => Promise<Head | undefined>) => {
    const head = await database.transaction(work)
    // After the commit: a query that started before it may have read the previous head.
    known.startRead()(head)
  }
  const commitMany = async (blocks: readonly BlockChanges[], options: CommitOptions = {}) => {
    if (options.isIndexed && !isIndexed) {
      await database.transaction((transaction) => createIndexes(transaction, layout))
      isIndexed = true
    }
    const after = options.after === undefined ? undefined : { hash: options.after, revision: options.revision }
    let next: Committed | undefined
    await write(async (transaction) => {
      next = await commitBlocks(transaction, { layout, blocks, after, committed })
      return next.head
    })
    committed = next
  }
  return { write, commitMany, loadAfter: createLoad(database, layout, () => rowsAt(known.head, committed)) }
}

/** Keeps the latest head that was read. It ignores the result of a read that started before the one it has. */
function createKnownHead(initial: Head | undefined) {
  let head = initial
  let started = 0
  let latest = 0
  return {
    get head() {
      return head
    },
    /** Starts a read: call it before the query. Returns a function that takes the head that was read. */
    startRead: () => {
      started += 1
      const number = started
      return (read: Head | undefined) => {
        if (number < latest) return
        latest = number
        head = read
      }
    },
  }
}

/**
 * `{ data }`, or `{ errors }` without data. It has both only if root fields ask for different blocks and those of one
 * block failed.
 */
type QueryResult = {
  readonly data?: Readonly<Record<string, unknown>>
  readonly errors?: readonly ErrorEntry[]
}

type QueryEngineOptions = RunOptions & {
  readonly api: ApiSchema
  readonly onInternalError: (error: unknown) => void
}

/**
 * Creates the engine that answers queries. Every query takes the same steps: read the request, plan, compile to SQL,
 * run, write the answer. It never throws: errors are in the answer.
 */
function createQueryEngine(options: QueryEngineOptions) {
  const { api, layout, deployment, rowsMax } = options
  const describe = (error: unknown) => describeFailure(error, options.onInternalError)
  const reader = createRequestReader(api.graphql)
  const compile = createCompiler({ api, layout, rowsMax })
  const runOptions = { ...options, introspect: createIntrospect(api.graphql) }
  const answer = async (request: QueryRequest): Promise<Answer> => {
    try {
      const query = reader.read(request)
      if ('errors' in query) return writeFailures(query.errors.map(describe))
      const compiled = compile(query)
      const { variables } = query
      const result = await runQuery(runOptions, { compiled, variables, signal: request.signal })
      return writeAnswer({ deployment, describe }, { plan: compiled, result })
    } catch (error) {
      return writeFailures([request?.signal?.aborted ? timedOut : describe(error)])
    }
  }
  return {
    answer,
    findErrors: (query: string) => reader.findErrors(query).map((error) => describe(error).entry),
  }
}
