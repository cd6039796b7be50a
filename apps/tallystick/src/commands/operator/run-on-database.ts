import { systemTime } from '@tallystick/base'
import { readDatabaseTime } from '@tallystick/issuer'
import { createOperator, loadConfig, type Operator, openDatabaseToRead, openServiceDatabase } from '@tallystick/service'
import type { ConfigSource } from '../terminal/terminal.ts'
import { nameUser } from './name-user.ts'

/** Runs an operator's command directly on the database of a configuration. */
export async function runOnDatabase<Result>(
  source: ConfigSource,
  access: 'read' | 'write',
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const config = loadConfig(source.path, { env: source.env, secrets: 'optional' })
  const url = config.database.reveal()
  const database = await (access === 'read' ? openDatabaseToRead(url) : openServiceDatabase(url, () => undefined))
  try {
    const clock = systemTime
    const latestNow = async () => Math.max(clock.now(), await readDatabaseTime(database))
    const auditor = { actor: `local:${nameUser()}` }
    return await work(createOperator({ database, config, clock, latestNow, auditor }))
  } finally {
    await database.close()
  }
}
