import { existsSync, rmSync } from 'node:fs'
import type { Clock } from '@tallystick/base'
import type { Database } from '@tallystick/database'
import { openServiceDatabase } from '@tallystick/service'
import { copyPgliteTemplate } from '@tallystick/workbench/pglite-template'
import { databaseTemplate } from '../database/database-template.ts'
import type { Home } from '../home/home.ts'
import { describeChains, findChainCount, type SandboxChain, sayFor } from '../home/sandbox-chain.ts'
import { catchUpIncomes } from '../seed/catch-up-incomes.ts'
import { type Devnet, type DevnetParts, startDevnet } from './devnet.ts'
import { moveChainToClock } from './follow-clock.ts'
import { resumeDevnet } from './resume-devnet.ts'

export type OpenHistory = { readonly database: Database; readonly devnets: readonly Devnet[] }

export type HistoryOptions = DevnetParts & {
  readonly home: Home
  /** Positions on each chain of a new history, 40 by default. */
  readonly positionCount: number | undefined
  /** By default as many as the directory has, or one. */
  readonly chainCount: number | undefined
}

const cannotResume = 'cannot resume from this directory'
const positionCountDefault = 40
// Clocks of replicas may differ by 1 minute. A larger difference means that the sandbox last ran at a later time.
const toleranceSeconds = 60

/**
 * Opens the database and the chains of the last run, or creates all of them, because each refers to the others. The chains
 * are at the clock's second. The open database locks the directory against other sandboxes.
 */
export async function openHistory(options: HistoryOptions): Promise<OpenHistory> {
  const { home, say } = options
  const isNew = !existsSync(home.database)
  if (isNew && (existsSync(home.chains) || existsSync(home.oldChain))) {
    say(`${cannotResume}, its database is missing: creating a new history`)
  }
  if (isNew) say('creating the embedded database')
  const database = await openDatabase(home)
  try {
    if (isNew) return { database, devnets: await startDevnets(options) }
    const resumption = await resume(database, options)
    if ('devnets' in resumption) {
      await Promise.all(resumption.devnets.map((devnet) => catchUpHistory(devnet, options)))
      return { database, devnets: resumption.devnets }
    }
    say(`${cannotResume}, ${resumption.obstacle}: creating a new history`)
  } catch (error) {
    await database.close()
    throw error
  }
  return recreateHistory(database, options)
}

async function openDatabase(home: Home): Promise<Database> {
  if (!existsSync(home.database)) await copyPgliteTemplate(home.database, databaseTemplate)
  return openServiceDatabase(`file:${home.database}`, () => undefined)
}

type HistoryResumption = { readonly devnets: readonly Devnet[] } | { readonly obstacle: string }

async function resume(database: Database, options: HistoryOptions): Promise<HistoryResumption> {
  const { home, clock, chainCount, positionCount, say } = options
  if (existsSync(home.oldChain)) return { obstacle: 'its chain was created by an older version' }
  const found = findChainCount(home) ?? 1
  if (chainCount !== undefined && chainCount !== found) {
    return { obstacle: `it has ${found === 1 ? '1 chain' : `${found} chains`} and --chains is ${chainCount}` }
  }
  if (await wasRunLater(database, clock)) return { obstacle: 'it was last run at a later time' }
  const resumption = await resumeDevnets(options, describeChains(home, found))
  const seededCount = 'devnets' in resumption ? resumption.devnets[0]?.record.positionCount : undefined
  if (seededCount !== undefined && positionCount !== undefined && positionCount !== seededCount) {
    say(`--positions is ignored: this history was created with ${seededCount}. Use --fresh to create a new one`)
  }
  return resumption
}

/** Returns whether notes were signed in the future. Then the time was set back, and the rails would reject new notes. */
async function wasRunLater(database: Database, clock: Clock): Promise<boolean> {
  const [row] = await database.query<{ last: bigint | null }>('select max(issued_at) as last from note_sets')
  return Number(row?.last ?? 0) > clock.now() / 1000 + toleranceSeconds
}

async function resumeDevnets(parts: DevnetParts, chains: readonly SandboxChain[]): Promise<HistoryResumption> {
  const resumptions = await Promise.all(chains.map((chain) => resumeDevnet(parts, chain)))
  const devnets = resumptions.flatMap((resumption) => ('devnet' in resumption ? resumption.devnet : []))
  if (devnets.length === chains.length) return { devnets }
  await Promise.all(devnets.map(({ node }) => node.stop()))
  const obstacles = resumptions.flatMap((resumption) => ('obstacle' in resumption ? resumption.obstacle : []))
  return { obstacle: [...new Set(obstacles)].join(', ') }
}

async function catchUpHistory({ chain, node, record }: Devnet, { clock, say }: HistoryOptions): Promise<void> {
  const nowSeconds = await moveChainToClock(node.url, clock)
  const { pool } = record.protocol
  await catchUpIncomes(node.url, { pool, nowSeconds }).catch((error) => {
    // The role may have been revoked on purpose, which must not prevent the start.
    sayFor(chain, say)(`cannot report the floating incomes since the last run: ${error.message}`)
  })
}

async function recreateHistory(old: Database, options: HistoryOptions): Promise<OpenHistory> {
  const insertKeys = await copyApiKeys(old).finally(() => old.close())
  rmSync(options.home.database, { recursive: true })
  const database = await openDatabase(options.home)
  try {
    await insertKeys(database)
    return { database, devnets: await startDevnets(options) }
  } catch (error) {
    await database.close()
    throw error
  }
}

const keyTables = ['api_keys', 'api_key_secrets', 'api_key_revision'] as const

/** Reads the API keys of a database. Returns a function that inserts them into another, so that issued keys stay valid. */
async function copyApiKeys(database: Database): Promise<(other: Database) => Promise<void>> {
  const contents: string[] = []
  for (const table of keyTables) {
    const [row] = await database.query<{ rows: string | null }>(`select json_agg(t)::text as rows from ${table} t`)
    contents.push(row?.rows ?? '[]')
  }
  return async (other) => {
    await other.query('delete from api_key_revision')
    for (const [index, table] of keyTables.entries()) {
      const rows = contents[index]
      await other.query(`insert into ${table} select * from json_populate_recordset(null::${table}, $1::json)`, [rows])
    }
  }
}

async function startDevnets(options: HistoryOptions): Promise<readonly Devnet[]> {
  const { home, clock, positionCount = positionCountDefault } = options
  const chains = describeChains(home, options.chainCount ?? findChainCount(home) ?? 1)
  // The signer journal is deleted too. It has notes of old pools, and new pools may have the same addresses.
  for (const old of [home.chains, home.oldChain, home.journal, home.logJournal])
    rmSync(old, { recursive: true, force: true })
  return Promise.all(
    chains.map(async (chain) => {
      const devnet = await startDevnet(options, { chain, positionCount })
      await moveChainToClock(devnet.node.url, clock)
      return devnet
    }),
  )
}
