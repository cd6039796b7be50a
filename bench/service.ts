import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createLogKeyText } from '@tallystick/public-log'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { pinTo } from './pin.ts'

/** Process with its port and its output up to the ready line. */
export type Server = { readonly child: ChildProcess; readonly port: number; readonly output: string }

/** Directory with a configuration and certificates, and the processes that use it. */
export type Site = {
  readonly directory: string
  readonly ca: string
  readonly caPath: string
  readonly configPath: string
  /** Environment of its processes. */
  readonly env: NodeJS.ProcessEnv
  /** Runs a command of the command line and returns its JSON output. */
  run(...commandLine: string[]): unknown
  /** Starts the service, by default with the configuration of the site. */
  serve(configPath?: string): Promise<Server>
  /** Writes the configuration of a replica, which has journals of its own. Returns its path. */
  configureReplica(name: string): string
  /** Starts any server that prints a ready line with its port. */
  start(commandLine: readonly string[]): Promise<Server>
  remove(): void
}

export const pool = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'

const logOrigin = 'bench.example/log'
/** Configuration of a public log. Its key is in the environment of every site. */
export const benchLog = { origin: logOrigin, key: 'env:LOG_KEY' }
const logKey = createLogKeyText(logOrigin)

// Measures the build, as in production.
const cli = fileURLToPath(new URL('../apps/tallystick/bin/tallystick.js', import.meta.url))

/**
 * Creates a site for the built service with real TLS. `settings` are members of the configuration. The processes of a pinned
 * site run on the first core.
 */
export function createSite(settings: object, environment: NodeJS.ProcessEnv = {}, isPinned = false): Site {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-bench-'))
  const remove = () => rmSync(directory, { recursive: true, force: true })
  process.once('exit', remove)
  const authority = createCertificateAuthority()
  const server = authority.issue(['localhost', '127.0.0.1'])
  writeFileSync(join(directory, 'ca.pem'), authority.cert)
  writeFileSync(join(directory, 'cert.pem'), server.cert)
  writeFileSync(join(directory, 'key.pem'), server.key)
  const config = {
    listen: { host: '127.0.0.1', port: 0, publicRpm: null, tls: { cert: 'cert.pem', key: 'key.pem' } },
    admin: { port: 0, token: 'env:ADMIN_TOKEN' },
    database: 'file:db',
    signer: { kind: 'private-key', key: 'env:SIGNER_KEY' },
    chains: [{ id: 324, name: 'zkSync Era', pool }],
    ...settings,
  } as { readonly signer: object; readonly log?: object }
  const configPath = join(directory, 'tallystick.json')
  writeFileSync(configPath, JSON.stringify(config))
  const env = {
    ...process.env,
    ADMIN_TOKEN: 'bench',
    SIGNER_KEY: `0x${'01'.repeat(32)}`,
    LOG_KEY: logKey,
    ...environment,
  }
  const options = { cwd: directory, env, isPinned }
  return {
    directory,
    ca: authority.cert,
    caPath: join(directory, 'ca.pem'),
    configPath,
    env,
    run: (...commandLine) =>
      JSON.parse(String(execFileSync(process.execPath, [cli, ...commandLine, '--json'], options))),
    serve: (path = configPath) => start([cli, 'serve', '--config', path, '--log-level', 'silent'], options),
    configureReplica: (name) => {
      const path = join(directory, `${name}.json`)
      const { signer, log } = config
      const journalOf = (kind: string) => ({ journal: `${name}-${kind}.jsonl` })
      const replica = {
        ...config,
        signer: { ...signer, ...journalOf('signer') },
        log: log && { ...log, ...journalOf('log') },
      }
      writeFileSync(path, JSON.stringify(replica))
      return path
    },
    start: (commandLine) => start(commandLine, options),
    remove,
  }
}

/** Sets a curve, so that there are notes. */
export function setBenchCurve(site: Site): void {
  site.run('curve', 'set', '7=369', '14=365', '30=362', '60=358', '90=355', '180=350', '360=340')
}

/** Creates a key, without a limit by default. */
export function createBenchKey(site: Site, rpm: number | 'unlimited' = 'unlimited'): string {
  return (site.run('keys', 'create', '--name', 'bench', '--rpm', String(rpm)) as { readonly secret: string }).secret
}

async function start(
  commandLine: readonly string[],
  { isPinned, ...options }: { readonly cwd: string; readonly env: NodeJS.ProcessEnv; readonly isPinned: boolean },
): Promise<Server> {
  const whole = [process.execPath, ...commandLine] as const
  const [command, ...words] = isPinned ? pinTo(0, whole) : whole
  const child = spawn(command, words, { ...options, stdio: ['ignore', 'pipe', 'inherit'] })
  // Ends the child with this process.
  process.once('exit', () => child.kill('SIGKILL'))
  return new Promise<Server>((resolve, reject) => {
    let output = ''
    child.once('exit', (code) => reject(new Error(`${commandLine[0]} exited with ${code}`)))
    child.stdout.on('data', (chunk) => {
      output += chunk
      const match = /^ready (?:\S*:)?(\d+)$/m.exec(output)
      if (match) resolve({ child, port: Number(match[1]), output })
    })
  })
}
