import { type Database, migrate, openDatabase } from '@tallystick/database'
import { apiMigrations } from './migrations.ts'

/** The service's database with its schema up to date. */
export async function openServiceDatabase(url: string, say: (line: string) => void): Promise<Database> {
  if (url.startsWith('file:')) say(`opening the embedded database in ${url.slice('file:'.length)}`)
  const database = await openDatabase(url)
  if (database.engine === 'postgres') say(`connected to ${database.label}`)
  await migrate(database, { scope: 'api', migrations: apiMigrations }).catch(async (error) => {
    await database.close()
    throw error
  })
  return database
}
