import { existsSync, rmSync } from 'node:fs'
import { type Clock, openServiceDatabase } from '@tallystick/api'
import type { Database } from '@tallystick/database'
import { createDevnet } from './devnet/create-devnet.ts'
import type { Devnet, DevnetParts } from './devnet/devnet.ts'
import { standAtClock } from './devnet/follow-clock.ts'
import { resumeDevnet } from './devnet/resume-devnet.ts'
import type { Home } from './home.ts'

const positionCountDefault = 40
// Replicas' clocks may differ by a minute; more is a sandbox that was last run at a later time.
const toleranceSeconds = 60

/**
 * The database and the chain of the last run, or new ones. Both or neither: what the one says of the other would be
 * wrong. The chain stands at the clock's second. The database is open, which keeps other sandboxes out.
 */
export async function openHistory(
  parts: DevnetParts,
  positionCount: number | undefined,
): Promise<{ readonly database: Database; readonly devnet: Devnet }> {
  const { home, clock, say } = parts
  const isNew = !existsSync(home.database)
  if (isNew) say('making the embedded database (a few seconds, this once)')
  let database = await openDatabase(home)
  try {
    const resumption = isNew ? undefined : await resume(database, parts)
    if (resumption && 'devnet' in resumption) {
      const { record, anvil } = resumption.devnet
      if (positionCount !== undefined && positionCount !== record.positionCount) {
        say(`--positions is ignored: this history began with ${record.positionCount}. --fresh begins another`)
      }
      await standAtClock(anvil.url, clock)
      return { database, devnet: resumption.devnet }
    }
    if (resumption) {
      say(`this directory cannot be gone on with, ${resumption.obstacle}: beginning a new history in it`)
      await database.close()
      rmSync(home.database, { recursive: true })
      database = await openDatabase(home)
    }
    rmSync(home.chain.dir, { recursive: true, force: true })
    const devnet = await createDevnet(parts, positionCount ?? positionCountDefault)
    await standAtClock(devnet.anvil.url, clock)
    return { database, devnet }
  } catch (error) {
    await database.close()
    throw error
  }
}

function openDatabase(home: Home): Promise<Database> {
  return openServiceDatabase(`file:${home.database}`, () => undefined)
}

async function resume(database: Database, parts: DevnetParts) {
  if (await wasRunLater(database, parts.clock)) return { obstacle: 'it was last run at a later time than now' }
  return resumeDevnet(parts)
}

/** Whether notes were signed at a time that is still to come: then the time was set back, and the rails would refuse. */
async function wasRunLater(database: Database, clock: Clock): Promise<boolean> {
  const [row] = await database.query<{ last: bigint | null }>('select max(issued_at) as last from note_sets')
  return Number(row?.last ?? 0) > clock.now() / 1000 + toleranceSeconds
}
