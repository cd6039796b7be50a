import { X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { TallystickError } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { namespaceOf } from '@tallystick/gateway'
import { type ChainConfig, type Config, loadConfig } from '@tallystick/service'
import { graphqlSchemaOf, openSubgraph, protocolSchema } from '@tallystick/subgraph'
import { embeddedEndpoint } from '../doctor/subgraph/subgraph-endpoints.ts'
import { UnusableSourceError } from './choose-block.ts'
import { type Comparison, compareSources } from './compare-sources.ts'
import { type ComparedSource, createIndexSource, createUrlSource } from './compared-source.ts'

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
export async function runComparison(options: RunComparisonOptions) {
  const { chain, queries, seed, block, url, env, report } = options
  const config = loadConfig(options.config, { env, secrets: 'optional' })
  const results: PairResult[] = []
  const startBlock = config.chains.find(({ id }) => id === chain)?.subgraph?.embedded?.startBlock ?? 0
  const opened = await openComparedSources(config, { chainId: chain, url }).catch(asProblem)
  if ('problem' in opened) return [{ sources: ['first', 'second'], comparison: opened }] satisfies PairResult[]
  const [reference, ...others] = opened as [ComparedSource, ...ComparedSource[]]
  const schema = graphqlSchemaOf(protocolSchema)
  try {
    for (const other of others) {
      const onProgress = (done: number) => report(`${reference.name} and ${other.name}: ${done} of ${queries} queries`)
      const compared = { schema, queries, seed, block, startBlock, onProgress }
      const comparing = compareSources([reference, other], compared)
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
    error instanceof UnusableSourceError || (error instanceof TallystickError && error.code === 'database_unavailable')
  if (!isKnown) throw error
  return { problem: error.message }
}

/**
 * Opens the sources of a chain that are compared, the reference first: the embedded subgraph, then the URLs. With `url`,
 * the reference and that URL only.
 */
async function openComparedSources(
  config: Config,
  { chainId, url }: { readonly chainId: number; readonly url?: string | undefined },
): Promise<readonly ComparedSource[]> {
  const chain = config.chains.find(({ id }) => id === chainId)
  if (!chain)
    throw new UnusableSourceError(
      `The configuration has no chain ${chainId}. It has ${config.chains.map(({ id }) => id).join(', ')}.`,
    )
  const { urls = [], headers = {}, embedded } = chain.subgraph ?? {}
  const own = embedded ? [() => openEmbedded(config, chain)] : []
  const remote = urls.map((one) => async () => createUrlSource({ name: new URL(one).host, url: one, headers }))
  // The headers of the configuration are for the hosts of its URLs, not for this one.
  const given = url === undefined ? [] : [async () => createUrlSource({ name: new URL(url).host, url, headers: {} })]
  const all = url === undefined ? [...own, ...remote] : [...[...own, ...remote].slice(0, 1), ...given]
  if (all.length < 2) {
    throw new UnusableSourceError(
      `Chain ${chainId} has ${all.length === 0 ? 'no subgraph' : 'one subgraph'}. Configure "urls" beside "embedded", or give the other one with --url.`,
    )
  }
  const opened: ComparedSource[] = []
  try {
    for (const open of all) opened.push(await open())
  } catch (error) {
    await closeAll(opened)
    throw error
  }
  return nameApart(opened)
}

async function closeAll(sources: readonly ComparedSource[]): Promise<void> {
  await Promise.all(sources.map((source) => source.close()))
}

/** Reads the index from PostgreSQL itself, or through the service, which has the embedded database open. */
async function openEmbedded({ database: databaseUrl, listen }: Config, chain: ChainConfig): Promise<ComparedSource> {
  if (databaseUrl.reveal().startsWith('file:')) {
    if (!listen.tls || listen.port === 0) {
      throw new UnusableSourceError(
        'The embedded database can be read through the service only, and that has no TLS or no fixed port.',
      )
    }
    const certificate = new X509Certificate(readFileSync(listen.tls.cert))
    const { url, fingerprint256 } = embeddedEndpoint({ chain, listen, certificate })
    return createUrlSource({ name: 'embedded', url, headers: {}, fingerprint256 })
  }
  const database = await openDatabase(databaseUrl.reveal(), { connectionsMax: 4 })
  try {
    const namespace = namespaceOf(chain)
    // Opening an index creates it, and a command that compares must not.
    const rows = await database.query('select 1 from pg_namespace where nspname = $1', [namespace])
    if (rows.length === 0)
      throw new UnusableSourceError(`The database has no index of chain ${chain.id} yet. Start the service first.`)
    const subgraph = await openSubgraph({ database, schema: protocolSchema, namespace })
    return createIndexSource(subgraph, () => database.close())
  } catch (error) {
    await database.close()
    throw error
  }
}

/** Numbers the sources that have the same host. */
function nameApart(sources: readonly ComparedSource[]): readonly ComparedSource[] {
  return sources.map((source, index) => {
    const before = sources.slice(0, index).filter(({ name }) => name === source.name).length
    return before === 0 ? source : { ...source, name: `${source.name}#${before + 1}` }
  })
}
