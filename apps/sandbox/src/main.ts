import { writeFileSync } from 'node:fs'
import {
  createClock,
  createPrivateKeySigner,
  openServiceDatabase,
  parseConfig,
  type Service,
  startService,
  stopOnSignal,
} from '@tallystick/api'
import { TallystickError } from '@tallystick/core'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import pino from 'pino'
import { type Closers, createClosers } from './closers.ts'
import { writeCredentials } from './credentials.ts'
import { sandboxWallets } from './devnet/create-devnet.ts'
import { type Devnet, devnetChainId } from './devnet/devnet.ts'
import { followClock, runInStep } from './devnet/follow-clock.ts'
import { keepInStep } from './devnet/keep-in-step.ts'
import { describeHome, emptyHome, furnishHome, type Home, readText } from './home.ts'
import { openHistory } from './open-history.ts'
import { parseOptions, type SandboxOptions } from './options.ts'
import { prepareDatabase } from './prepare-database.ts'
import { currentCoupons } from './seed/coupons.ts'
import { untilIndexed } from './until-indexed.ts'
import { welcome } from './welcome.ts'

// A day without transactions is then 8,640 blocks, which are replayed in 2 s and take 4 MB of the index.
const idleBlockSeconds = 10

async function run(options: SandboxOptions, closers: Closers): Promise<void> {
  const home = describeHome(options.dir)
  const clock = createClock()
  if (options.at !== undefined) clock.hold(options.at)
  say(
    `Tallystick sandbox in ${home.dir}${options.at === undefined ? '' : `, at ${new Date(options.at).toISOString()}`}`,
  )
  if (options.fresh) {
    await assertNotInUse(home)
    emptyHome(home)
  }
  furnishHome(home)
  const signer = createPrivateKeySigner(readText(home.signerKey))
  const startNode = (node: Parameters<typeof startDevChain>[0]) => closers.keep(startDevChain(node))
  // Fails if a sandbox runs here already: until then nothing of its files is touched.
  const { database, devnet } = await openHistory({ home, clock, signer, say, startNode }, options.positions)
  const settings = makeSettings(home, { port: options.port, devnet })
  const config = parseConfig(settings, { path: home.config, env: {}, secrets: 'required', baseDirectory: home.dir })
  const apiKey = await prepareDatabase(database, { home, config, clock, signer }).finally(() => database.close())
  const log = pino({ base: null }, pino.destination({ dest: home.log, sync: true }))
  const visitor = { apiKey, wallets: sandboxWallets().lenders.map(({ address }) => address) }
  const service = await closers.keep(startService({ config, clock, log, say, portal: { visitor } }))
  await untilIndexed(service, say)
  writeConfig(home, { settings, service })
  writeCredentials(home, { apiKey, service, devnet })
  // A reader who copies the line while the clock stood still would find it standing: it runs from `ready` on.
  if (options.at !== undefined) await runInStep(clock)
  const { url } = devnet.node
  await followClock(url, { clock, idleSeconds: idleBlockSeconds })
  const { pool } = devnet.record.protocol
  const { admin } = sandboxWallets()
  const renewCurve = () => setCurveAgain(service.adminUrl, readText(home.adminToken))
  const step = keepInStep({ url, clock, pool, admin: admin.address, say, onMoved: renewCurve })
  await closers.keep(Promise.resolve(step))
  say(welcome(home, { apiKey, baseUrl: service.baseUrl, rpcUrl: devnet.node.url }))
  say(`ready ${service.baseUrl}`)
  await devnet.node.exited
  if (!closers.isClosing()) throw new Error('The chain ended by itself, and the sandbox with it. Start it again.')
}

/** After a jump of days the rails ask whether somebody means it. In a sandbox somebody does. */
async function setCurveAgain(adminUrl: string, token: string): Promise<void> {
  await fetch(`${adminUrl}/curve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ points: currentCoupons, confirm: true, by: 'sandbox' }),
  })
}

function makeSettings(home: Home, { port, devnet }: { readonly port: number; readonly devnet: Devnet }) {
  const { pool, positions } = devnet.record.protocol
  return {
    listen: { host: 'localhost', port, tls: home.tls, publicRpm: null },
    admin: { host: '127.0.0.1', port: 0, token: `file:${home.adminToken}` },
    database: `file:${home.database}`,
    signer: { kind: 'private-key', key: `file:${home.signerKey}` },
    chains: [
      {
        id: devnetChainId,
        name: 'zkSync Era (sandbox)',
        pool,
        rpc: [devnet.node.url],
        subgraph: { embedded: { positions, startBlock: 0 } },
      },
    ],
  }
}

/** With the ports the listeners got, so that `tallystick --config` can be pointed at them. */
function writeConfig(
  home: Home,
  {
    settings,
    service,
  }: { readonly settings: ReturnType<typeof makeSettings>; readonly service: Pick<Service, 'adminUrl' | 'baseUrl'> },
): void {
  const listen = { ...settings.listen, port: portOf(service.baseUrl) }
  const admin = { ...settings.admin, port: portOf(service.adminUrl) }
  writeFileSync(home.config, `${JSON.stringify({ ...settings, listen, admin }, undefined, 2)}\n`)
}

function portOf(url: string): number {
  const { port, protocol } = new URL(url)
  // A URL leaves out the port its scheme has by itself.
  return Number(port || (protocol === 'https:' ? 443 : 80))
}

/** The lock of the embedded database tells whether a sandbox runs here; a database that cannot be opened is no sandbox. */
async function assertNotInUse(home: Home): Promise<void> {
  try {
    const database = await openServiceDatabase(`file:${home.database}`, () => undefined)
    await database.close()
  } catch (error) {
    if (error instanceof TallystickError && error.code === 'database_in_use') throw error
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

const closers = createClosers()
stopOnSignal({ stop: closers.close }, { say })
try {
  await run(parseOptions(process.argv), closers)
} catch (error) {
  // What was under way fails when a signal ends what it needs; whoever caught the signal ends the process.
  if (!closers.isClosing()) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
    await closers.close()
    process.exit(1)
  }
}
