import { existsSync, rmSync } from 'node:fs'
import { type Clock, openServiceDatabase } from '@tallystick/api'
import type { Database } from '@tallystick/database'
import { copyPgliteTemplate } from '@tallystick/workbench/pglite-template'
import { carryKeys } from './carry-keys.ts'
import { databaseTemplate } from './database-template.ts'
import { createDevnet, sandboxWallets } from './devnet/create-devnet.ts'
import type { Devnet, DevnetParts } from './devnet/devnet.ts'
import { standAtClock } from './devnet/follow-clock.ts'
import { resumeDevnet } from './devnet/resume-devnet.ts'
import { describeChains, findChainCount, type SandboxChain, sayFor } from './devnet/sandbox-chain.ts'
import type { Home } from './home.ts'
import { catchUpIncomes } from './seed/catch-up-incomes.ts'

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
// Replicas' clocks may differ by a minute; more is a sandbox that was last run at a later time.
const toleranceSeconds = 60

/**
 * Opens the database and the chains of the last run, or creates new ones. All or none: what one says of another would be
 * wrong. The chains stand at the clock's second. The database is open, which keeps other sandboxes out.
 */
export async function openHistory(options: HistoryOptions): Promise<OpenHistory> {
  const { home, say } = options
  const isNew = !existsSync(home.database)
  if (isNew && (existsSync(home.chains) || existsSync(home.oldChain))) {
    say(`${cannotResume}, its database is missing: beginning a new history in it`)
  }
  if (isNew) say('making the embedded database (a few seconds at the first start)')
  const database = await openDatabase(home)
  try {
    if (isNew) return { database, devnets: await createDevnets(options) }
    const resumption = await resume(database, options)
    if ('devnets' in resumption) {
      await Promise.all(resumption.devnets.map((devnet) => catchUpHistory(devnet, options)))
      return { database, devnets: resumption.devnets }
    }
    say(`${cannotResume}, ${resumption.obstacle}: beginning a new history in it`)
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
  if (existsSync(home.oldChain)) return { obstacle: 'its chain was made by an older version' }
  const found = findChainCount(home) ?? 1
  if (chainCount !== undefined && chainCount !== found) {
    return { obstacle: `it has ${found === 1 ? '1 chain' : `${found} chains`} and --chains is ${chainCount}` }
  }
  if (await wasRunLater(database, clock)) return { obstacle: 'it was last run at a later time than now' }
  const resumption = await resumeDevnets(options, describeChains(home, found))
  const began = 'devnets' in resumption ? resumption.devnets[0]?.record.positionCount : undefined
  if (began !== undefined && positionCount !== undefined && positionCount !== began) {
    say(`--positions is ignored: this history began with ${began}. --fresh begins another`)
  }
  return resumption
}

/** Returns whether notes were signed at a time still to come: then the time was set back, and the rails would refuse. */
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
  const nowSeconds = await standAtClock(node.url, clock)
  const { pool } = record.protocol
  await catchUpIncomes(node.url, { pool, admin: sandboxWallets().admin.address, nowSeconds }).catch((error) => {
    // The role may have been revoked on purpose, which must not prevent the start.
    sayFor(chain, say)(`the floating incomes of the days since the last run are missing: ${error.message}`)
  })
}

async function recreateHistory(old: Database, options: HistoryOptions): Promise<OpenHistory> {
  const giveKeys = await carryKeys(old).finally(() => old.close())
  rmSync(options.home.database, { recursive: true })
  const database = await openDatabase(options.home)
  try {
    await giveKeys(database)
    return { database, devnets: await createDevnets(options) }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function createDevnets(options: HistoryOptions): Promise<readonly Devnet[]> {
  const { home, clock, positionCount = positionCountDefault } = options
  const chains = describeChains(home, options.chainCount ?? findChainCount(home) ?? 1)
  // The journal too: it is of pools that are gone, and new ones may have their addresses.
  for (const old of [home.chains, home.oldChain, home.journal]) rmSync(old, { recursive: true, force: true })
  return Promise.all(
    chains.map(async (chain) => {
      const devnet = await createDevnet(options, { chain, positionCount })
      await standAtClock(devnet.node.url, clock)
      return devnet
    }),
  )
}
