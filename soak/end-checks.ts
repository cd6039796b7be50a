import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '@tallystick/database'
import { readReadiness } from './admin.ts'
import { call } from './call.ts'
import { type ReplicaName, replicaNames } from './fault.ts'
import { findGrowth, type Gauge } from './growth.ts'
import type { Ledger } from './ledger.ts'
import type { Member } from './member.ts'
import { comparePositions, readChainPositions, readServedPositions } from './positions.ts'
import type { World } from './world.ts'

/** What everything holds at a moment without load. */
export type Measured = {
  /** By the name of the process. */
  readonly gauges: ReadonlyMap<string, Gauge>
  /** To PostgreSQL. */
  readonly connections: number
}

export type EndReport = {
  readonly growth: readonly { readonly name: string; readonly before: Gauge; readonly after: Gauge }[]
  readonly connections: { readonly before: number; readonly after: number }
  readonly positions: readonly { readonly chain: number; readonly onChain: number }[]
}

// Idle connections of pools end after ten seconds, and what is left of load within that time.
const settleMs = 15_000
// Two replicas keep a handful each; 15 each is what the manual allows.
const connectionGrowthMax = 6
const catchUpMs = 30_000
// Five times 15 s: a connection kept alive is closed after 72.
const measuresMax = 5

/** Measures all there is. Nobody may call meanwhile. */
export async function measure(world: World): Promise<Measured> {
  await setTimeout(settleMs)
  const gauges = new Map<string, Gauge>()
  for (const member of membersOf(world)) {
    const gauge = await member.gauge()
    if (gauge) gauges.set(member.name, gauge)
  }
  return { gauges, connections: await countConnections(world) }
}

function membersOf({ replicas, indexer }: World): readonly Member[] {
  return [...Object.values(replicas), indexer]
}

async function countConnections({ databaseUrl }: World): Promise<number> {
  const database = await openDatabase(databaseUrl)
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and application_name = 'tallystick' and pid <> pg_backend_pid()`,
  )
  await database.close()
  return row?.n ?? 0
}

/** What has to hold when all is quiet again. A process that was started anew since `before` may hold no more either. */
export async function checkEnd(
  world: World,
  {
    ledger,
    before,
    onViolation,
  }: {
    readonly ledger: Ledger
    readonly before: Measured
    readonly onViolation: (words: string) => void
  },
): Promise<EndReport> {
  const agent = new Agent({ ca: world.authority.cert, keepAlive: true })
  await checkReady(world, onViolation)
  await checkSameNotes(world, { agent, onViolation })
  const positions = await checkPositions(world, { agent, onViolation })
  agent.destroy()
  await checkStored(world, { ledger, onViolation })
  for (const rate of ledger.unservedRates()) onViolation(`/rate told a coupon no note has: ${JSON.stringify(rate)}`)
  const { after, growth } = await measureGrowth(world, before)
  for (const { name, ...gauges } of growth) {
    for (const words of findGrowth(gauges)) onViolation(`${name} has grown: ${words}`)
  }
  for (const { name, isReady } of membersOf(world)) if (!isReady) onViolation(`${name} does not run at the end`)
  const connections = { before: before.connections, after: after.connections }
  if (connections.after - connections.before > connectionGrowthMax) {
    onViolation(`connections to PostgreSQL ${connections.before} to ${connections.after}`)
  }
  return { growth, connections, positions }
}

/** Measures again while something has grown: connections that nobody uses are closed sooner or later, a leak stays. */
async function measureGrowth(world: World, before: Measured) {
  for (let tries = 1; ; tries++) {
    const after = await measure(world)
    const growth = [...before.gauges].flatMap(([name, gauge]) => {
      const last = after.gauges.get(name)
      return last ? [{ name, before: gauge, after: last }] : []
    })
    if (tries === measuresMax || growth.every((gauges) => findGrowth(gauges).length === 0)) return { after, growth }
  }
}

type Parts = { readonly agent: Agent; readonly onViolation: (words: string) => void }

async function checkReady(world: World, onViolation: (words: string) => void): Promise<void> {
  // The indexer signs nothing and is never ready.
  for (const member of Object.values(world.replicas)) {
    const readiness = await readReadiness(member)
    if (readiness?.ready) continue
    const failed = readiness?.checks.filter(({ ok }) => !ok).map(({ name, detail }) => `${name}: ${detail}`)
    onViolation(`${member.name} is not ready at the end: ${failed?.join('; ') ?? 'no answer'}`)
  }
}

async function checkSameNotes(world: World, { agent, onViolation }: Parts): Promise<void> {
  const get = (name: ReplicaName) =>
    call(`${world.replicas[name].baseUrl}/notes`, { agent, headers: { 'x-api-key': world.keys[0] as string } }).then(
      ({ status, body }) => `${status} ${body}`,
      (error: Error) => error.message,
    )
  const [a, b] = await Promise.all(replicaNames.map(get))
  if (a !== b || !a?.startsWith('200 ')) onViolation(`/notes at the end: ${a?.slice(0, 100)} and ${b?.slice(0, 100)}`)
}

/** Of each chain on each replica; lending has stopped, so that they come to agree within the time an index may take. */
async function checkPositions(world: World, { agent, onViolation }: Parts): Promise<EndReport['positions']> {
  return Promise.all(
    world.chains.map(async (chain) => {
      const onChain = await readChainPositions(chain)
      for (const name of replicaNames) {
        const { baseUrl } = world.replicas[name]
        const asked = { baseUrl, chainId: chain.id, key: world.keys[0] as string, agent }
        const difference = () =>
          readServedPositions(asked).then(
            (served) => comparePositions(served, { chain: onChain }),
            (error: Error) => error.message,
          )
        const untilMs = Date.now() + catchUpMs
        let found = await difference()
        while (found !== undefined && Date.now() < untilMs) {
          await setTimeout(500)
          found = await difference()
        }
        if (found !== undefined) onViolation(`chain ${chain.id} on replica ${name}: ${found}`)
      }
      return { chain: chain.id, onChain: onChain.length }
    }),
  )
}

/** What was ever served is what is stored, bit for bit. */
async function checkStored(
  { databaseUrl }: World,
  { ledger, onViolation }: { readonly ledger: Ledger } & Pick<Parts, 'onViolation'>,
): Promise<void> {
  const database = await openDatabase(databaseUrl)
  const rows = await database.query<Record<string, unknown>>('select * from notes')
  await database.close()
  const stored = new Set(
    rows.map(({ chain_id, valid_after, maturity, r, s, v }) => [chain_id, valid_after, maturity, r, s, v].join()),
  )
  for (const { chainid, signature_valid_after, maturity_timestamp, signature } of ledger.notes()) {
    const { r, s, v } = signature
    if (stored.has([chainid, signature_valid_after, maturity_timestamp, r, s, v].join())) continue
    onViolation(`a note was served that is not stored: chain ${chainid}, maturity ${maturity_timestamp}`)
  }
}
