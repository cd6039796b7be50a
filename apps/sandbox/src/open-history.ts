import { existsSync, rmSync } from 'node:fs'
import { type Clock, openServiceDatabase } from '@tallystick/api'
import type { Database } from '@tallystick/database'
import { carryKeys } from './carry-keys.ts'
import { createDevnet, sandboxWallets } from './devnet/create-devnet.ts'
import type { Devnet, DevnetParts } from './devnet/devnet.ts'
import { standAtClock } from './devnet/follow-clock.ts'
import { resumeDevnet } from './devnet/resume-devnet.ts'
import type { Home } from './home.ts'
import { catchUpIncomes } from './seed/catch-up-incomes.ts'

export type OpenHistory = { readonly database: Database; readonly devnet: Devnet }

const noGoingOn = 'there is no going on in this directory'
const positionCountDefault = 40
// Replicas' clocks may differ by a minute; more is a sandbox that was last run at a later time.
const toleranceSeconds = 60

/**
 * The database and the chain of the last run, or new ones. Both or neither: what the one says of the other would be
 * wrong. The chain stands at the clock's second. The database is open, which keeps other sandboxes out.
 */
export async function openHistory(parts: DevnetParts, positionCount: number | undefined): Promise<OpenHistory> {
  const { home, say } = parts
  const isNew = !existsSync(home.database)
  if (isNew && existsSync(home.chain.dir)) say(`${noGoingOn}, its database is missing: beginning a new history in it`)
  if (isNew) say('making the embedded database (a few seconds, this once)')
  const database = await openDatabase(home)
  try {
    if (isNew) return { database, devnet: await beginDevnet(parts, positionCount) }
    const resumption = await resume(database, parts)
    if ('devnet' in resumption) {
      await goOn(resumption.devnet, { parts, positionCount })
      return { database, devnet: resumption.devnet }
    }
    say(`${noGoingOn}, ${resumption.obstacle}: beginning a new history in it`)
  } catch (error) {
    await database.close()
    throw error
  }
  return beginAnew(database, { parts, positionCount })
}

function openDatabase(home: Home): Promise<Database> {
  return openServiceDatabase(`file:${home.database}`, () => undefined)
}

type Wish = { readonly parts: DevnetParts; readonly positionCount: number | undefined }

async function resume(database: Database, parts: DevnetParts) {
  if (await wasRunLater(database, parts.clock)) return { obstacle: 'it was last run at a later time than now' }
  return resumeDevnet(parts)
}

/** Whether notes were signed at a time that is still to come: then the time was set back, and the rails would refuse. */
async function wasRunLater(database: Database, clock: Clock): Promise<boolean> {
  const [row] = await database.query<{ last: bigint | null }>('select max(issued_at) as last from note_sets')
  return Number(row?.last ?? 0) > clock.now() / 1000 + toleranceSeconds
}

async function goOn({ node, record }: Devnet, { parts: { clock, say }, positionCount }: Wish): Promise<void> {
  if (positionCount !== undefined && positionCount !== record.positionCount) {
    say(`--positions is ignored: this history began with ${record.positionCount}. --fresh begins another`)
  }
  const nowSeconds = await standAtClock(node.url, clock)
  const { pool } = record.protocol
  await catchUpIncomes(node.url, { pool, admin: sandboxWallets().admin.address, nowSeconds }).catch((error) => {
    // Somebody may have taken the role away, on purpose: that is no reason not to start.
    say(`the floating incomes of the days since the last run are missing: ${error.message}`)
  })
}

async function beginAnew(old: Database, { parts, positionCount }: Wish): Promise<OpenHistory> {
  const giveKeys = await carryKeys(old).finally(() => old.close())
  rmSync(parts.home.database, { recursive: true })
  const database = await openDatabase(parts.home)
  try {
    await giveKeys(database)
    return { database, devnet: await beginDevnet(parts, positionCount) }
  } catch (error) {
    await database.close()
    throw error
  }
}

async function beginDevnet(parts: DevnetParts, positionCount = positionCountDefault): Promise<Devnet> {
  rmSync(parts.home.chain.dir, { recursive: true, force: true })
  const devnet = await createDevnet(parts, positionCount)
  await standAtClock(devnet.node.url, parts.clock)
  return devnet
}
