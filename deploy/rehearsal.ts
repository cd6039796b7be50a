// node --conditions=src --import tsx deploy/rehearsal.ts <image> <node>
// Runs deploy/compose without containers: the files of the image (<image>/app, see docs/deploying.md) in bubblewrap, as user
// 65532, on a read-only root without a shell, as process 1 of two replicas, behind nginx and Caddy, scraped by Prometheus.
// Needs bwrap, nginx, caddy and prometheus. docs/deploying.md has what it showed.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { startPostgres } from '@tallystick/workbench/postgres'
import { createKeystore } from './create-keystore.ts'

const [, , image = '', node = process.execPath] = process.argv
const deploy = fileURLToPath(new URL('.', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'tallystick-rehearsal-'))
const user = 65_532
const entry = ['/usr/local/bin/node', '--disable-sigusr1', '/app/bin/tallystick.js']
const children: ChildProcess[] = []
const say = (line: string) => void process.stdout.write(`${line}\n`)

const authority = createCertificateAuthority()
const postgres = await startPostgres()
await postgres.createDatabase('tallystick')
const ports = Object.fromEntries(
  await Promise.all(
    ['http-1', 'http-2', 'admin-1', 'admin-2', 'monitor', 'nginx', 'caddy', 'prometheus'].map(
      async (name) => [name, await findFreePort()] as const,
    ),
  ),
)
try {
  const logKey = writeSecrets()
  for (const name of ['1', '2', 'monitor']) prepareReplica(name)
  runTool('1', ['curve', 'set', '7=369', '14=365', '30=362', '60=358', '90=355', '180=350', '360=340', '--confirm'])
  const key =
    /tsk_live_\w+/.exec(runTool('1', ['keys', 'create', '--name', 'rehearsal', '--rpm', '100000', '--json']))?.[0] ?? ''
  const replicas = ['1', '2'].map((name) => startReplica(name))
  const startedMs = Date.now()
  await Promise.all(['1', '2'].map(async (name) => until(() => probe(name, '/readyz'), `readyz ${name}`)))
  say(`both replicas ready after ${Date.now() - startedMs} ms; files of process 1:`)
  say(
    readFileSync(`/proc/${await replicas[0]?.pid}/status`, 'utf8').replaceAll(
      /^(?!Uid|NSpid|CapEff|NoNewPrivs).*\n/gm,
      '',
    ),
  )
  writeFileSync(join(directory, 'nginx.conf'), nginxConfig())
  start('nginx', ['-c', join(directory, 'nginx.conf'), '-g', 'daemon off;'])
  writeFileSync(join(directory, 'Caddyfile'), caddyConfig())
  start('caddy', ['run', '--adapter', 'caddyfile', '--config', join(directory, 'Caddyfile')])
  await startPrometheus()
  for (const proxy of ['nginx', 'caddy']) {
    const port = ports[proxy] ?? 0
    await until(async () => (await get(port, '/notes', key)).status === 200, `/notes through ${proxy}`)
    say(
      `${proxy}: /notes ${(await get(port, '/notes', key)).status}, without a key ${(await get(port, '/notes')).status}`,
    )
    say(`${proxy}: first event of a stream after ${await firstEventMs(port, key)} ms`)
    say(`${proxy}: body of 70 kB ${(await get(port, '/data', key, 'x'.repeat(70_000))).status}`)
  }
  startMonitor(logKey)
  await until(async () => Number(await readMonitor('checkpoint_size')) > 0, 'a checkpoint that the monitor verified')
  say(
    `monitor: entries in the log ${await readMonitor('checkpoint_size')}, unread ${await readMonitor('entries_unread')}`,
  )
  const results = await requestDuring(key, async () => {
    for (const [index, name] of ['1', '2'].entries()) {
      const pid = await replicas[index]?.pid
      process.kill(pid ?? 0, 'SIGTERM')
      const stoppedMs = Date.now()
      await until(async () => !isRunning(pid ?? 0), `end of ${name}`)
      say(`replica ${name}: SIGTERM as process 1 ended it after ${Date.now() - stoppedMs} ms`)
      startReplica(name)
      await until(async () => probe(name, '/readyz'), `readyz ${name}`)
      // nginx skips a failed server for fail_timeout.
      await setTimeout(11_000)
    }
  })
  say(`requests while each replica was restarted: ${JSON.stringify(results)}`)
  await until(
    async () => (await readTargets()).filter((health) => health === 'up').length === 3,
    'targets of Prometheus',
  )
  say(`Prometheus: targets ${await readTargets()}, alerts ${await readAlerts()}`)
} finally {
  for (const child of children) child.kill('SIGTERM')
  await setTimeout(8_000)
  for (const child of children) child.kill('SIGKILL')
  await postgres.stop()
  rmSync(directory, { recursive: true, force: true })
}
process.exit(0)

/** Returns the key with which others verify the log. */
function writeSecrets(): string {
  const { cert, key } = authority.issue(['localhost', '127.0.0.1'])
  writeFileSync(join(directory, 'fullchain.pem'), cert)
  writeFileSync(join(directory, 'privkey.pem'), key)
  mkdirSync(join(directory, 'secrets'))
  const secrets = {
    'admin-token': randomBytes(32).toString('hex'),
    'metrics-token': randomBytes(32).toString('hex'),
    'signer.json': createKeystore('password'),
    'signer-password': 'password',
    'rpc-url': 'http://127.0.0.1:1',
    'graph-auth': 'Bearer x',
    'ca.pem': authority.cert,
  }
  for (const [name, text] of Object.entries(secrets)) writeSecret(name, text)
  const cli = join(image, 'app/bin/tallystick.js')
  const out = join(directory, 'secrets/log.key')
  const argv = [cli, 'log', 'init', '--origin', 'api.example.com/log', '--out', out, '--json']
  const { verifierKey } = JSON.parse(execFileSync(node, argv, { encoding: 'utf8' }))
  chownSync(out, user, user)
  chownSync(join(directory, 'secrets'), user, user)
  chmodSync(directory, 0o755)
  return verifierKey
}

function writeSecret(name: string, text: string): void {
  const path = join(directory, 'secrets', name)
  writeFileSync(path, text, { mode: 0o400 })
  chownSync(path, user, user)
}

/** Writes the configuration of deploy/compose with the ports of this machine. */
function prepareReplica(name: string): void {
  const config = JSON.parse(readFileSync(join(deploy, 'compose/tallystick.json'), 'utf8'))
  config.listen = { ...config.listen, host: '127.0.0.1', port: ports[`http-${name}`], proxy: { trust: ['127.0.0.1'] } }
  config.admin = { ...config.admin, host: '127.0.0.1', port: ports[`admin-${name}`] }
  mkdirSync(join(directory, `config-${name}`))
  writeFileSync(join(directory, `config-${name}`, 'tallystick.json'), JSON.stringify(config))
  mkdirSync(join(directory, `state-${name}`), { mode: 0o700 })
  chownSync(join(directory, `state-${name}`), user, user)
}

/** Arguments of bubblewrap: the layers of the image, the mounts of compose.yml, and nothing else. */
function sandbox(name: string): string[] {
  // Libraries that distroless/cc-debian12 has.
  const libraries = readdirSync('/lib/x86_64-linux-gnu').filter((file) =>
    /^(ld-linux|libc|libdl|libm|libpthread|libgcc_s|libstdc\+\+|librt|libresolv|libnss_(dns|files))[-.]/.test(file),
  )
  const bind = (from: string, to = from) => ['--ro-bind', from, to]
  return [
    ...[
      '--unshare-all',
      '--share-net',
      '--uid',
      String(user),
      '--gid',
      String(user),
      '--as-pid-1',
      '--die-with-parent',
      '--cap-drop',
      'ALL',
    ],
    ...libraries.flatMap((file) => bind(`/lib/x86_64-linux-gnu/${file}`)),
    ...bind('/lib64/ld-linux-x86-64.so.2'),
    ...bind('/etc/ssl/certs/ca-certificates.crt'),
    ...bind(node, '/usr/local/bin/node'),
    ...bind(join(image, 'app'), '/app'),
    ...bind(join(directory, `config-${name}`), '/etc/tallystick'),
    ...bind(join(directory, 'secrets'), '/run/secrets'),
    ...['--bind', join(directory, `state-${name}`), '/var/lib/tallystick'],
    ...['--proc', '/proc', '--dev', '/dev', '--tmpfs', '/tmp', '--remount-ro', '/', '--chdir', '/etc/tallystick'],
    ...['--clearenv', '--setenv', 'NODE_ENV', 'production', '--setenv', 'DATABASE_URL', postgres.url('tallystick')],
  ]
}

function runTool(name: string, argv: readonly string[]): string {
  return execFileSync('bwrap', [...sandbox(name), ...entry, ...argv], {
    encoding: 'utf8',
    uid: user,
    gid: user,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}

function startReplica(name: string): { readonly pid: Promise<number> } {
  const argv = [...sandbox(name), '--info-fd', '3', ...entry, 'serve', '--config', '/etc/tallystick/tallystick.json']
  const child = spawn('bwrap', argv, { uid: user, gid: user, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] })
  children.push(child)
  const pid = new Promise<number>((resolve) => {
    let text = ''
    child.stdio[3]?.on('data', (chunk) => {
      text += chunk
      const [, found] = /"child-pid": (\d+)/.exec(text) ?? []
      if (found) resolve(Number(found))
    })
  })
  return { pid }
}

/** Starts the monitor with the command of compose.yml. It reads the log through nginx. */
function startMonitor(logKey: string): void {
  const { load, YAML11_SCHEMA } = createRequire(import.meta.url)('js-yaml')
  const { services } = load(readFileSync(join(deploy, 'compose/compose.yml'), 'utf8'), { schema: YAML11_SCHEMA })
  const text = JSON.stringify(services.monitor.command)
    .replace(/\$\{LOG_URL.*?\}/, `https://127.0.0.1:${ports['nginx']}`)
    .replace(/\$\{LOG_KEY.*?\}/, logKey)
    .replace('0.0.0.0:9465', `127.0.0.1:${ports['monitor']}`)
  const trust = ['--setenv', 'NODE_EXTRA_CA_CERTS', '/run/secrets/ca.pem']
  const argv = [...sandbox('monitor'), ...trust, ...entry, ...JSON.parse(text)]
  children.push(spawn('bwrap', argv, { uid: user, gid: user, stdio: ['ignore', 'ignore', 'inherit'] }))
}

/** Returns a metric of the monitor. */
async function readMonitor(name: string): Promise<string | undefined> {
  const response = await fetch(`http://127.0.0.1:${ports['monitor']}/metrics`).catch(() => undefined)
  return new RegExp(`^tallystick_monitor_${name} (.+)$`, 'm').exec((await response?.text()) ?? '')?.[1]
}

async function probe(name: string, path: string): Promise<boolean> {
  const env = [
    '--setenv',
    'PROBE_URL',
    `http://127.0.0.1:${ports[`admin-${name}`]}`,
    '--setenv',
    'PROBE_TOKEN_FILE',
    '/run/secrets/metrics-token',
  ]
  try {
    execFileSync('bwrap', [...sandbox(name), ...env, '/usr/local/bin/node', '/app/probe.mjs', path], {
      uid: user,
      gid: user,
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}

function start(program: string, argv: readonly string[]): void {
  const env = {
    ...process.env,
    HOME: directory,
    XDG_DATA_HOME: directory,
    XDG_CONFIG_HOME: directory,
    PATH: `${process.env['PATH']}:/usr/sbin`,
  }
  children.push(spawn(program, [...argv], { stdio: ['ignore', 'ignore', 'ignore'], env }))
}

function withPorts(path: string): string {
  return readFileSync(join(deploy, path), 'utf8').replaceAll(
    /service-(\d):8080/g,
    (_, name) => `127.0.0.1:${ports[`http-${name}`]}`,
  )
}

function nginxConfig(): string {
  return withPorts('nginx/nginx.conf')
    .replaceAll(' /tmp/', ` ${directory}/`)
    .replaceAll('/etc/nginx/tls/', `${directory}/`)
    .replace('/dev/stdout', join(directory, 'access.log'))
    .replace('listen 8443', `listen 127.0.0.1:${ports['nginx']}`)
}

function caddyConfig(): string {
  return withPorts('caddy/Caddyfile')
    .replace('{\n', '{\n\tadmin off\n')
    .replace(
      'api.example.com {',
      `https://localhost:${ports['caddy']} {\n\ttls ${directory}/fullchain.pem ${directory}/privkey.pem`,
    )
}

async function startPrometheus(): Promise<void> {
  const targets = ['1', '2'].map((name) => `127.0.0.1:${ports[`admin-${name}`]}`)
  const text = readFileSync(join(deploy, 'prometheus/prometheus.yml'), 'utf8')
    .replace("'service-1:9464', 'service-2:9464'", targets.map((target) => `'${target}'`).join(', '))
    .replace('monitor:9465', `127.0.0.1:${ports['monitor']}`)
    .replace('/run/secrets/', `${directory}/secrets/`)
    .replaceAll('interval: 15s', 'interval: 1s')
  writeFileSync(join(directory, 'prometheus.yml'), text)
  writeFileSync(join(directory, 'alerts.yml'), readFileSync(join(deploy, 'prometheus/alerts.yml')))
  const flags = [`--config.file=${directory}/prometheus.yml`, `--storage.tsdb.path=${directory}/tsdb`]
  start('prometheus', [...flags, `--web.listen-address=127.0.0.1:${ports['prometheus']}`])
}

async function ask(path: string): Promise<unknown> {
  const answer = await fetch(`http://127.0.0.1:${ports['prometheus']}/api/v1/${path}`).catch(() => undefined)
  return ((await answer?.json()) as { readonly data: unknown } | undefined)?.data
}

async function readTargets(): Promise<string[]> {
  const data = (await ask('targets')) as { activeTargets: { scrapePool: string; health: string }[] } | undefined
  return (data?.activeTargets ?? []).flatMap(({ scrapePool, health }) =>
    scrapePool.startsWith('tallystick') ? [health] : [],
  )
}

async function readAlerts(): Promise<string[]> {
  const data = (await ask('alerts')) as { alerts: { labels: { alertname: string }; state: string }[] } | undefined
  return (data?.alerts ?? []).map(({ labels, state }) => `${labels.alertname} ${state}`)
}

type Got = { readonly status: number; readonly body: string }

function get(port: number, path: string, key?: string, body?: string): Promise<Got> {
  return new Promise((resolve) => {
    const headers = {
      ...(key && { 'x-api-key': key }),
      'x-forwarded-for': '203.0.113.9',
      'x-forwarded-proto': 'http',
      ...(body && { 'content-type': 'application/json' }),
    }
    const options = { host: 'localhost', port, path, method: body ? 'POST' : 'GET', headers, ca: authority.cert }
    const sent = request(options, async (response) => {
      const chunks = await response.toArray().catch(() => [])
      resolve({ status: response.statusCode ?? 0, body: Buffer.concat(chunks).toString() })
    })
    sent.on('error', () => resolve({ status: 0, body: '' }))
    sent.end(body)
  })
}

/** Returns how long the first bytes of a stream take. A proxy that buffers would hold them. */
function firstEventMs(port: number, key: string): Promise<number> {
  const startedMs = Date.now()
  return new Promise((resolve, reject) => {
    const sent = request(
      { host: 'localhost', port, path: '/events', headers: { 'x-api-key': key }, ca: authority.cert },
      (response) => {
        response.once('data', () => {
          resolve(Date.now() - startedMs)
          sent.destroy()
        })
      },
    )
    sent.on('error', reject)
    sent.end()
  })
}

/** Sends requests through both proxies until the work is done. Returns the number of each status. */
async function requestDuring(key: string, work: () => Promise<void>): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let isDone = false
  const clients = ['nginx', 'caddy'].map(async (proxy) => {
    while (!isDone) {
      const [notes, data] = await Promise.all([
        get(ports[proxy] ?? 0, '/notes', key),
        get(ports[proxy] ?? 0, '/data', key, '{"query":"{ _meta { block { number } } }","variables":{"chains":[324]}}'),
      ])
      for (const [what, { status }] of Object.entries({ notes, data })) {
        const name = `${proxy} /${what} ${status}`
        counts[name] = (counts[name] ?? 0) + 1
      }
      await setTimeout(20)
    }
  })
  await work()
  isDone = true
  await Promise.all(clients)
  return counts
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

async function until(check: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const deadlineMs = Date.now() + 90_000
  while (!(await check())) {
    if (Date.now() > deadlineMs) throw new Error(`not reached: ${what}`)
    await setTimeout(200)
  }
}
