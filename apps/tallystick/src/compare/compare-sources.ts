import type { GraphQLSchema } from 'graphql'
import { askPatiently, type Wait } from './ask-patiently.ts'
import { type ComparedBlock, chooseBlock, isStillCommon, type Pair } from './choose-block.ts'
import type { ComparedSource } from './compared-source.ts'
import { createRandom } from './create-random.ts'
import { formatSampleQuery, generateQuery } from './generate-query.ts'
import { readQueryModel } from './query-model.ts'
import { createSamples } from './samples.ts'

/** Query whose results differ. */
type QueryDifference = { readonly query: string; readonly differences: readonly ValueDifference[] }

export type Comparison =
  | {
      readonly problem?: undefined
      readonly block: ComparedBlock
      readonly queries: number
      /** Number of queries that both rejected. */
      readonly rejected: number
      readonly differing: number
      /** The first of them. */
      readonly listed: readonly QueryDifference[]
    }
  | { readonly problem: string }

export type CompareOptions = {
  readonly schema: GraphQLSchema
  readonly queries: number
  readonly seed: number
  /** Block to compare at. By default, the newest that both have. */
  readonly block?: number | undefined
  /** First block that queries of the past ask for. */
  readonly startBlock: number
  readonly onProgress: (done: number) => void
  /** Waits between two attempts; real time by default. */
  readonly wait?: Wait | undefined
}

// Few enough not to disturb a source that serves clients.
const concurrency = 4
const listedMax = 50
// A reorg takes the block away under the queries. Three in a row are another problem.
const attemptsMax = 3

/**
 * Sends the same random queries to two sources at one block, and lists the differences of their results. Throws
 * `UnusableSourceError`.
 */
export async function compareSources(pair: Pair, options: CompareOptions): Promise<Comparison> {
  const patient = pair.map((source) => askPatiently(source, options.wait)) as [ComparedSource, ComparedSource]
  let problem = ''
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    const block = await chooseBlock(patient, options.block)
    if ('problem' in block) {
      problem = block.problem
      if (!block.isRetryable) break
      continue
    }
    const comparison = await compareAt(patient, { options, at: block })
    if (comparison) return comparison
    problem = `The chain was reorganized during ${attemptsMax} attempts. Run the command again, or give an earlier block with --block.`
  }
  return { problem }
}

/** Compares at a block. Returns undefined if one of the sources lost the block meanwhile. */
async function compareAt(
  pair: Pair,
  { at, options }: { readonly at: ComparedBlock; readonly options: CompareOptions },
): Promise<Comparison | undefined> {
  const model = readQueryModel(options.schema)
  const samples = createSamples()
  const random = createRandom(options.seed)
  const block = at.number === at.commonNumber ? `{ hash: "${at.commonHash}" }` : `{ number: ${at.number} }`
  const past = { from: Math.min(options.startBlock, at.number), to: at.number }
  const entities = [...model.values()]
  const result = { queries: 0, rejected: 0, differing: 0 }
  // By the order in which the queries were sent, so that the same seed gives the same list.
  let listed: { readonly position: number; readonly found: QueryDifference }[] = []
  let sent = 0
  let isLost = false
  const run = async (query: string): Promise<Readonly<Record<string, unknown>> | undefined> => {
    sent += 1
    const position = sent
    const [a, b] = await Promise.all([pair[0].ask(query), pair[1].ask(query)])
    const differences = differencesOf(a, b)
    if (differences.length > 0 && !(await isStillCommon(pair, at))) isLost = true
    result.queries += 1
    if (a.data === undefined && b.data === undefined) result.rejected += 1
    if (differences.length > 0) {
      result.differing += 1
      const all = [...listed, { position, found: { query, differences } }]
      listed = all.sort((one, other) => one.position - other.position).slice(0, listedMax)
    }
    options.onProgress(result.queries)
    return a.data
  }
  for (const entity of entities.slice(0, options.queries)) {
    samples.add(entity, (await run(formatSampleQuery(entity, block)))?.[entity.plural])
  }
  let left = options.queries - result.queries
  const work = async () => {
    while (left > 0 && !isLost) {
      left -= 1
      await run(generateQuery({ model, samples, random, block, past }))
    }
  }
  await Promise.all(Array.from({ length: concurrency }, work))
  // Queries by number do not notice a reorg themselves.
  if (isLost || !(await isStillCommon(pair, at))) return undefined
  return { block: at, ...result, listed: listed.map(({ found }) => found) }
}

type Answers = Awaited<ReturnType<ComparedSource['ask']>>

/** The texts of errors differ by design. An error of one source alone is a difference. */
function differencesOf(a: Answers, b: Answers): readonly ValueDifference[] {
  if (!a.data && !b.data) return []
  if (a.data && b.data) {
    const found: ValueDifference[] = []
    visit({ a: a.data, b: b.data, path: 'data', found })
    return found
  }
  const show = ({ rejection }: Answers) => (rejection === undefined ? 'no error' : rejection.slice(0, 300))
  return [{ path: 'errors', values: [show(a), show(b)] }]
}

/** Place in a result at which two sources differ, with both values as shortened JSON. */
type ValueDifference = { readonly path: string; readonly values: readonly [string, string] }

const valueLengthMax = 200
const differencesMax = 20

type Visit = { readonly a: unknown; readonly b: unknown; readonly path: string; readonly found: ValueDifference[] }

/** Adds the places at which two JSON values differ, at most 20. The order of lists counts, that of members does not. */
function visit({ a, b, path, found }: Visit): void {
  if (found.length >= differencesMax || Object.is(a, b)) return
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) add({ a: a.length, b: b.length, path: `${path}.length`, found })
    for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
      visit({ a: a[index], b: b[index], path: `${path}[${index}]`, found })
    }
    return
  }
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      visit({ a: own(a, key), b: own(b, key), path: `${path}.${key.slice(0, 100)}`, found })
    }
    return
  }
  add({ a, b, path, found })
}

function add({ a, b, path, found }: Visit): void {
  if (found.length < differencesMax) found.push({ path, values: [show(a), show(b)] })
}

function show(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax - 1)}…` : text
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
