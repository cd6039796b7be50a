import { existsSync, openSync, rmSync } from 'node:fs'
import { basename } from 'node:path'
import { createClock, type LineWriter, openLog } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { createPrivateKeySigner, issuePastPeriods } from '@tallystick/issuer'
import { openServiceDatabase, parseConfig, startService } from '@tallystick/service'
import { startDevChain } from '@tallystick/workbench/dev-chain/start-dev-chain'
import type { Address } from 'viem'
import type { Closers } from './closers.ts'
import { writeCredentials } from './credentials.ts'
import { sandboxWallets } from './devnet/create-devnet.ts'
import type { Devnet } from './devnet/devnet.ts'
import { startDevnetSync } from './devnet/devnet-sync.ts'
import { runClockAligned } from './devnet/follow-clock.ts'
import { assertSandboxHome, describeHome, type Home, prepareHome, readText } from './home.ts'
import { openHistory } from './open-history.ts'
import type { SandboxOptions } from './options.ts'
import { prepareDatabase } from './prepare-database.ts'
import { currentCoupons } from './seed/coupons.ts'
import { makeSettings, writeConfig } from './settings.ts'
import { createTestWallet, testWalletLender } from './test-wallet.ts'
import { waitUntilIndexed } from './wait-until-indexed.ts'
import { welcome } from './welcome.ts'

export type SandboxParts = {
  /** Stops what was started. */
  readonly closers: Closers
  readonly say: (line: string) => void
  /** Writer of the lines of `say`, for the metrics. */
  readonly stdout: Pick<LineWriter, 'dropped'>
}

/** Starts a sandbox. Resolves when it is ready, to its chains. */
export async function startSandbox(
  options: SandboxOptions,
  { closers, say, stdout }: SandboxParts,
): Promise<readonly Devnet[]> {
  const home = describeHome(options.dir)
  const clock = createClock()
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
  const settings = makeSettings(home, { port: options.port, devnets })
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
  const service = await closers.add(startService({ config, database, clock, log, say, writers, portal }))
  await waitUntilIndexed(service, { chains: devnets.map(({ chain }) => chain), say })
  await issuing
  writeConfig(home, { settings, service })
  writeCredentials(home, { apiKey, service, devnets })
  // The clock runs from the `ready` line on.
  if (options.at !== undefined) await runClockAligned(clock)
  const onMoved = () => confirmCurve(service.adminUrl, readText(home.adminToken))
  await closers.add(startDevnetSync(devnets, { clock, say, onMoved }))
  say(welcome(home, { apiKey, service, devnets }))
  say(`ready ${service.baseUrl}`)
  return devnets
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
