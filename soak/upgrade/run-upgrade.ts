import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { promisify } from 'node:util'
import { periodAfter, periodAt } from '@tallystick/core'
import { adminToken, readReadiness } from '../clients/admin.ts'
import { waitUntilIndexed } from '../clients/embedded-reads.ts'
import type { Clocks } from '../environment/clocks.ts'
import type { SoakEnvironment } from '../environment/environment.ts'
import { ownCheckout } from '../environment/service-process.ts'
import type { ReplicaName } from '../faults/fault.ts'
import { checkRevocation } from '../faults/revocation.ts'
import type { Checkout } from './check-out.ts'

export type UpgradeParts = {
  readonly environment: SoakEnvironment
  readonly clocks: Clocks
  readonly from: Checkout
  readonly to: Checkout
  /** Release of each replica. Changed before its next start. */
  readonly releases: Map<string, Checkout>
  /** Time since when the notes of a period can be signed, by its start. */
  readonly signableSinceMs: Map<bigint, number>
  readonly elapsedMs: () => number
  readonly step: (words: string) => void
  readonly onViolation: (message: string) => void
}

const calmMs = 8_000
// Longer than the slowest retry of signing.
const aheadMs = 30_000
const startMsMax = 90_000

/** Upgrades both replicas one after the other, and goes back. A period begins while both releases run, in both directions. */
export async function runUpgrade(parts: UpgradeParts): Promise<void> {
  const { from, to, step } = parts
  await setTimeout(calmMs)
  await replace(parts, { name: 'a', release: to })
  await checkKeys(parts)
  await crossBoundary(parts)
  await restart(parts, 'b')
  await replace(parts, { name: 'b', release: to })
  await crossBoundary(parts)
  await replace(parts, { name: 'a', release: from })
  await checkKeys(parts)
  await crossBoundary(parts)
  await replace(parts, { name: 'b', release: from })
  step(await revertSchema(parts))
  await setTimeout(calmMs)
  await restart(parts, 'a')
  await checkKeys(parts)
  await setTimeout(calmMs)
}

/** Stops a replica gracefully and starts it with a release. Resolves when it is ready and has indexed its chain. */
async function replace(
  parts: UpgradeParts,
  { name, release }: { readonly name: ReplicaName; readonly release: Checkout },
): Promise<void> {
  await parts.environment.replicas[name].end('SIGTERM')
  parts.releases.set(name, release)
  await start(parts, name)
  parts.step(`replica ${name} runs ${release.name}`)
}

/** Kills a replica and starts it again, as a supervisor does after a crash. */
async function restart(parts: UpgradeParts, name: ReplicaName): Promise<void> {
  await parts.environment.replicas[name].end('SIGKILL')
  await start(parts, name)
  parts.step(`replica ${name} was killed and runs ${parts.releases.get(name)?.name} again`)
}

async function start({ environment }: UpgradeParts, name: ReplicaName): Promise<void> {
  const replica = environment.replicas[name]
  const [chain] = environment.chains
  const ready = async () => {
    await replica.start()
    while (!(await readReadiness(replica))?.ready) await setTimeout(200)
    if (chain) await waitUntilIndexed(replica, { ca: environment.authority.cert, chain })
    return true
  }
  const isStarted = await Promise.race([ready(), setTimeout(startMsMax, false, { ref: false })])
  if (!isStarted) throw new Error(`Replica ${name} is not ready ${startMsMax / 1000} s after its start. See its log.`)
}

/** Moves the clock to shortly before the next boundary and waits until it is over. */
async function crossBoundary({ clocks, environment, signableSinceMs, elapsedMs, step }: UpgradeParts): Promise<void> {
  const period = periodAt(BigInt(Math.floor(clocks.now() / 1000)))
  const endMs = Number(period.end) * 1000
  signableSinceMs.set(periodAfter(period).start, elapsedMs())
  await clocks.moveTo(endMs - aheadMs)
  await Promise.all(environment.chains.map((chain) => chain.follow()))
  while (clocks.now() < endMs + calmMs) await setTimeout(200)
  step(`a period began at ${new Date(endMs).toISOString()}`)
}

/** Creates and revokes a key on each replica and checks that both know it in time. */
async function checkKeys({ environment, onViolation, step }: UpgradeParts): Promise<void> {
  await checkRevocation({ environment, onViolation }, { through: 'a' })
  await checkRevocation({ environment, onViolation }, { through: 'b' })
  step('a key created and revoked on either replica was known to the other within 1 s')
}

/** Takes the migrations back with the command line of this version, while replicas of the other one run. */
async function revertSchema({ environment }: UpgradeParts): Promise<string> {
  const config = join(environment.directory, 'a', 'tallystick.json')
  const args = ['--conditions=src', '--import', 'tsx', join(ownCheckout, 'apps/tallystick/src/cli.ts')]
  const command = [...args, 'database', 'revert', '--yes', '--json', '--config', config]
  const env = { ...process.env, ADMIN_TOKEN: adminToken }
  const { stdout } = await promisify(execFile)(process.execPath, command, { cwd: ownCheckout, env })
  const { to, migrations } = JSON.parse(stdout) as { to: string; migrations: readonly { name: string }[] }
  return `reverted the schema to ${to}: ${migrations.map(({ name }) => name).join(', ') || 'no migrations'}`
}
