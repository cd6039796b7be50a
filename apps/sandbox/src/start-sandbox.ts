import { existsSync, openSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { createLogThrottle, createTime, type LineWriter, openLog } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { createPrivateKeySigner, issuePastPeriods } from '@tallystick/issuer'
import { openServiceDatabase, parseConfig, type Service, startService } from '@tallystick/service'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import type { Address } from 'viem'
import { makeSettings, welcome, writeConfig, writeCredentials } from './access.ts'
import { prepareDatabase } from './database/prepare-database.ts'
import type { Devnet } from './devnet/devnet.ts'
import { runClockAligned } from './devnet/follow-clock.ts'
import { openHistory } from './devnet/open-history.ts'
import { startDevnetSync } from './devnet/start-devnet-sync.ts'
import { assertSandboxHome, describeHome, type Home, prepareHome, readText } from './home/home.ts'
import { sayFor } from './home/sandbox-chain.ts'
import type { SandboxOptions } from './options.ts'
import { currentCoupons } from './seed/coupons.ts'
import { sandboxWallets } from './seed/wallets.ts'
import { createTestWallet, testWalletLender } from './test-wallet.ts'

/** Resources that are stopped in the reverse order of their start. */
export type Closers = ReturnType<typeof createClosers>

export type SandboxParts = {
  /** Stops what was started. */
  readonly closers: Closers
  readonly say: (line: string) => void
  /** Writer of the lines of `say`, for the metrics. */
  readonly stdout: Pick<LineWriter, 'dropped'>
}

export function createClosers() {
  const added: Promise<{ stop(): Promise<void> }>[] = []
  let closing = false
  return {
    /** Adds a resource that is starting. `close` waits for its start and stops it. */
    add: <Resource extends { stop(): Promise<void> }>(resource: Promise<Resource>): Promise<Resource> => {
      added.push(resource)
      return resource
    },
    close: async () => {
      closing = true
      for (const resource of added.splice(0).reverse()) {
        // A resource that failed to start has nothing to stop. Its caller handles the error.
        const started = await resource.catch(() => undefined)
        await started?.stop()
      }
    },
    isClosing: () => closing,
  }
}

/** Starts a sandbox. Resolves when it is ready, to its chains. */
export async function startSandbox(
  options: SandboxOptions,
  { closers, say, stdout }: SandboxParts,
): Promise<readonly Devnet[]> {
  const home = describeHome(options.dir)
  const clock = createTime()
  if (options.at !== undefined) clock.hold(options.at)
  say(
    `Tallystick sandbox in ${home.dir}${options.at === undefined ? '' : `, at ${new Date(options.at).toISOString()}`}`,
  )
  if (options.fresh) await removeHome(home)
  prepareHome(home)
  const signer = createPrivateKeySigner(readText(home.signerKey))
  const startNode = (node: Parameters<typeof startDevChain>[0]) => closers.add(startDevChain(node))
  const counts = { positionCount: options.positions, chainCount: options.chains }
  // Fails if a sandbox already runs here. Until then none of its files is changed.
  const { database, devnets } = await openHistory({ home, clock, signer, say, startNode, ...counts })
  const settings = makeSettings(home, { ...options, devnets })
  const config = parseConfig(settings, { path: home.config, env: {}, secrets: 'required', baseDirectory: home.dir })
  const { apiKey, past } = await prepareDatabase(database, { home, config, clock, signer }).catch(async (error) => {
    await database.close()
    throw error
  })
  const { log, writer } = openLog(openSync(home.log, 'a', 0o600))
  const writers = { stdout, [basename(home.log)]: writer }
  const portal = describePage(apiKey, { home, devnets })
  // In parallel: signing computes, and the start of the service mostly waits for the chain.
  const issuing = issuePastPeriods({ database, signer }, { chains: config.chains, past })
  issuing.catch(() => undefined)
  const service = await closers.add(startService({ config, database, time: clock, log, say, writers, portal }))
  await waitUntilIndexed(service, { devnets, say })
  await issuing
  writeConfig(home, { settings, service })
  writeCredentials(home, { apiKey, service, devnets })
  // The clock runs from the `ready` line on.
  if (options.at !== undefined) await runClockAligned(clock)
  const onMoved = () => confirmCurve(service.adminUrl, readText(home.adminToken))
  await closers.add(startDevnetSync(devnets, { clock, say, onMoved }))
  say(welcome(home, { apiKey, service, devnets, command: options.command }))
  say(`ready ${service.baseUrl}`)
  return devnets
}

const pollMs = 100
const sayMs = 2_000

/** Waits until the embedded subgraph of every chain has indexed all blocks. */
async function waitUntilIndexed(
  { followers }: Service,
  { devnets, say }: { readonly devnets: readonly Devnet[]; readonly say: (line: string) => void },
): Promise<void> {
  const isDue = createLogThrottle({ everyMs: sayMs })
  isDue()
  for (;;) {
    const statuses = followers.map((follower) => follower.status())
    if (statuses.every(({ state, lagBlocks }) => state === 'following' && lagBlocks === 0)) return
    if (isDue()) {
      // The service has a follower for each chain of its configuration, in the same order.
      for (const [index, { chain }] of devnets.entries()) {
        const { head, chainHead, problem } = statuses[index] ?? {}
        sayFor(chain, say)(problem ?? `indexing the chain: block ${head?.number ?? 0} of ${chainHead?.number ?? '?'}`)
      }
    }
    await setTimeout(pollMs)
  }
}

/** Returns what the page of a sandbox has beside that of a service: a key, wallets with positions, and a wallet to lend with. */
function describePage(apiKey: string, { home, devnets }: { readonly home: Home; readonly devnets: readonly Devnet[] }) {
  const wallets = sandboxWallets().lenders.map(({ address }) => address)
  const chains = devnets.map(({ chain, node }) => ({ id: chain.id, url: node.url }))
  const testWallet = createTestWallet({ address: wallets[testWalletLender] as Address, chains })
  return { visitor: { apiKey, wallets, caCert: home.caCert }, testWallet }
}

/** Confirms the curve after the time has moved. After days without a curve the rails require a confirmation. */
async function confirmCurve(adminUrl: string, token: string): Promise<void> {
  await fetch(`${adminUrl}/curve`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ points: currentCoupons, confirm: true, by: 'sandbox' }),
  })
}

/** Deletes the directory of a sandbox. Throws if the sandbox runs or the directory is not a sandbox's. */
async function removeHome(home: Home): Promise<void> {
  assertSandboxHome(home)
  // Opening a missing database would create it.
  if (existsSync(home.database)) await assertNotInUse(home)
  rmSync(home.dir, { recursive: true, force: true })
}

/** Throws if a sandbox holds the lock of the embedded database. A database that cannot be opened is not in use. */
async function assertNotInUse(home: Home): Promise<void> {
  try {
    const database = await openServiceDatabase(`file:${home.database}`, () => undefined)
    await database.close()
  } catch (error) {
    if (error instanceof TallystickError && error.code === 'database_in_use') throw error
  }
}
