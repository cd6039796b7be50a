import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { getuid } from 'node:process'
import { fileURLToPath } from 'node:url'
import { createLogKeyText } from '@tallystick/public-log'
import { createKeystore } from '../../deploy/create-keystore.ts'

type Service = {
  readonly image: string
  readonly read_only: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
  readonly tmpfs: readonly string[]
  readonly stop_grace_period: string
  readonly healthcheck: { readonly test: readonly string[] }
  readonly volumes: readonly string[]
  readonly secrets: readonly string[]
}

/** Container of a service of compose.yml. */
export type RunningService = {
  /** Runs a command in the container, and returns what it prints. Throws if it fails. */
  exec(...argv: readonly string[]): string
  /** Runs the health check of compose.yml. Throws if it fails. */
  checkHealth(): void
  log(): string
  /** Stops it as `docker compose stop` does. Returns the exit code, which is 137 after SIGKILL. */
  stop(): number
  remove(): void
}

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url))
const user = 65_532

/**
 * Loads an image from its archive and starts `service-1` of compose.yml with podman: its user, mounts, secrets, capabilities and
 * time limits. Only the network is that of the machine, so addresses and ports are other ones.
 */
export function startFromCompose(
  archive: string,
  ports: { readonly http: number; readonly admin: number; readonly databaseUrl: string },
): RunningService {
  // Not the directory of temporary files, which may be in memory.
  const work = mkdtempSync('/var/tmp/tallystick-service-')
  chmodSync(work, 0o755)
  const podman = (...args: string[]) =>
    execFileSync(
      'podman',
      ['--root', join(work, 'storage'), '--runroot', join(work, 'run'), ...runtimeOptions(), ...args],
      {
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'pipe'],
      },
    )
  const service = readService('service-1')
  writeConfiguration(work, service, ports)
  podman('load', '--quiet', '--input', archive)
  const name = 'service-1'
  podman('run', '--detach', '--name', name, ...describe(service, { work, ...ports }), service.image)
  return {
    exec: (...argv) => podman('exec', name, ...argv),
    checkHealth: () => podman('healthcheck', 'run', name),
    log: () => podman('logs', name),
    stop: () => {
      podman('stop', '--time', service.stop_grace_period.replace('s', ''), name)
      return Number(podman('inspect', '--format', '{{.State.ExitCode}}', name))
    },
    remove: () => {
      podman('rm', '--all', '--force', '--volumes')
      podman('rmi', '--all', '--force')
      runAsOwner(['rm', '-rf', work])
    },
  }
}

/** Options of podman for a service of compose.yml. */
function describe(
  service: Service,
  { work, databaseUrl, admin }: { work: string; databaseUrl: string; admin: number },
): string[] {
  const mounts = service.volumes.map((volume) => volume.replace('./', `${work}/`))
  const secrets = service.secrets.map((name) => `${join(work, 'secrets', name)}:/run/secrets/${name}:ro`)
  // The command of the health check without "CMD".
  const [, ...health] = service.healthcheck.test
  return [
    ...['--network', 'host', '--log-driver', 'k8s-file'],
    // Below those of compose.yml: nobody may raise the limits of some virtual machines.
    ...['core=0:0', 'nofile=4096:4096', 'nproc=4096:4096'].map((limit) => `--ulimit=${limit}`),
    ...(service.read_only ? ['--read-only', '--read-only-tmpfs=false'] : []),
    ...service.cap_drop.map((capability) => `--cap-drop=${capability}`),
    ...service.security_opt.map((option) => `--security-opt=${option.replace(':true', '')}`),
    ...service.tmpfs.map((path) => `--tmpfs=${path}`),
    ...[...mounts, ...secrets].map((mount) => `--volume=${mount}`),
    ...['--health-cmd', JSON.stringify(health), '--health-interval', 'disable'],
    ...['--env', `DATABASE_URL=${databaseUrl}`, '--env', `PROBE_URL=http://127.0.0.1:${admin}`],
  ]
}

function readService(name: string): Service {
  const { load, YAML11_SCHEMA } = createRequire(import.meta.url)('js-yaml')
  return load(readFileSync(join(deploy, 'compose/compose.yml'), 'utf8'), { schema: YAML11_SCHEMA }).services[name]
}

/** Writes the configuration of compose.yml with other ports, and its secrets, which only the user of the image can read. */
function writeConfiguration(
  work: string,
  { secrets }: Service,
  { http, admin }: { http: number; admin: number },
): void {
  const config = JSON.parse(readFileSync(join(deploy, 'compose/tallystick.json'), 'utf8'))
  config.listen = { ...config.listen, host: '127.0.0.1', port: http, proxy: { trust: ['127.0.0.1'] } }
  config.admin = { ...config.admin, host: '127.0.0.1', port: admin }
  writeFileSync(join(work, 'tallystick.json'), JSON.stringify(config))
  const directory = join(work, 'secrets')
  mkdirSync(directory)
  const texts: Readonly<Record<string, string>> = {
    'signer.json': createKeystore('password'),
    'signer-password': 'password',
    // Nothing listens there: the notes need no RPC.
    'rpc-url': 'http://127.0.0.1:1',
    'log.key': createLogKeyText(config.log.origin),
  }
  const files = secrets.map((name) => join(directory, name))
  for (const name of secrets) {
    writeFileSync(join(directory, name), texts[name] ?? randomBytes(32).toString('hex'), { mode: 0o400 })
  }
  runAsOwner(['chown', `${user}:${user}`, ...files])
}

/** Runs a program as the owner of the users of a container, which without root are others of this user's name space. */
function runAsOwner(argv: readonly string[]): void {
  const [file = '', ...args] = getuid?.() === 0 ? argv : ['podman', 'unshare', ...argv]
  execFileSync(file, args)
}

/** crun refuses the control groups of some virtual machines. */
function runtimeOptions(): readonly string[] {
  return getuid?.() === 0 && existsSync('/usr/sbin/runc') ? ['--runtime', 'runc'] : []
}
