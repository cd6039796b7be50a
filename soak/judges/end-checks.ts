import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { openDatabase } from '@tallystick/database'
import { readReadiness } from '../clients/admin.ts'
import { call } from '../clients/call.ts'
import type { SoakEnvironment } from '../environment/environment.ts'
import type { ServiceProcess } from '../environment/service-process.ts'
import { type ReplicaName, replicaNames } from '../faults/fault.ts'
import { compareWithStates, readPositionStates } from './chain-state.ts'
import { findGrowth, type Gauge } from './growth.ts'
import type { Ledger } from './ledger.ts'
import { comparePositions, readChainPositions, readServedPositions } from './positions.ts'

/** Resource usage without load. */
export type Measured = {
  /** Usage of each process, by its name. */
  readonly gauges: ReadonlyMap<string, Gauge>
  /** Number of connections to PostgreSQL. */
  readonly connections: number
}

export type EndReport = {
  readonly growth: readonly { readonly name: string; readonly before: Gauge; readonly after: Gauge }[]
  readonly connections: { readonly before: number; readonly after: number }
  readonly positions: readonly { readonly chain: number; readonly onChain: number }[]
}

// Idle pool connections are closed after 10 s, and pending work ends within that time.
const settleMs = 15_000
// Each of the two replicas keeps a few. docs/operating/database.md allows more.
const connectionGrowthMax = 6
const catchUpMs = 30_000
// Five times 15 s: a keep-alive connection is closed after 72 s.
const measuresMax = 5

/** Measures all processes. There must be no load meanwhile. */
export async function measure(environment: SoakEnvironment): Promise<Measured> {
  await setTimeout(settleMs)
  const gauges = new Map<string, Gauge>()
  for (const serviceProcess of processesOf(environment)) {
    const gauge = await serviceProcess.gauge()
    if (gauge) gauges.set(serviceProcess.name, gauge)
  }
  return { gauges, connections: await countConnections(environment) }
}

function processesOf({ replicas, indexer }: SoakEnvironment): readonly ServiceProcess[] {
  return [...Object.values(replicas), indexer]
}

async function countConnections({ databaseUrl }: SoakEnvironment): Promise<number> {
  const database = await openDatabase(databaseUrl)
  const [row] = await database.query<{ n: number }>(
    `select count(*)::int as n from pg_stat_activity
     where datname = current_database() and application_name = 'tallystick' and pid <> pg_backend_pid()`,
  )
  await database.close()
  return row?.n ?? 0
}

/** Runs the checks after the load. The limits also apply to a process that was restarted since `before`. */
export async function checkEnd(
  environment: SoakEnvironment,
  {
    ledger,
    before,
    onViolation,
  }: {
    readonly ledger: Ledger
    readonly before: Measured
    readonly onViolation: (message: string) => void
  },
): Promise<EndReport> {
  const positions = await checkServed(environment, { ledger, onViolation })
  const { after, growth } = await measureGrowth(environment, before)
  for (const { name, ...gauges } of growth) {
    for (const words of findGrowth(gauges)) onViolation(`${name} has grown: ${words}`)
  }
  for (const { name, isReady } of processesOf(environment))
    if (!isReady) onViolation(`${name} is not running at the end`)
  const connections = { before: before.connections, after: after.connections }
  if (connections.after - connections.before > connectionGrowthMax) {
    onViolation(`connections to PostgreSQL have grown from ${connections.before} to ${connections.after}`)
  }
  return { growth, connections, positions }
}

/** Compares what both replicas serve with each other, with the chains and with the database. */
export async function checkServed(
  environment: SoakEnvironment,
  { ledger, onViolation }: { readonly ledger: Ledger; readonly onViolation: (message: string) => void },
): Promise<EndReport['positions']> {
  const agent = new Agent({ ca: environment.authority.cert, keepAlive: true })
  await checkReady(environment, onViolation)
  await checkSameNotes(environment, { agent, onViolation })
  const positions = await checkPositions(environment, { agent, onViolation })
  agent.destroy()
  await checkStored(environment, { ledger, onViolation })
  for (const rate of ledger.unservedRates())
    onViolation(`/rate returned a coupon that no note has: ${JSON.stringify(rate)}`)
  return positions
}

/** Measures again while a value has grown: unused connections are closed eventually, a leak stays. */
async function measureGrowth(environment: SoakEnvironment, before: Measured) {
  for (let tries = 1; ; tries++) {
    const after = await measure(environment)
    const growth = [...before.gauges].flatMap(([name, gauge]) => {
      const last = after.gauges.get(name)
      return last ? [{ name, before: gauge, after: last }] : []
    })
    if (tries === measuresMax || growth.every((gauges) => findGrowth(gauges).length === 0)) return { after, growth }
  }
}

type Parts = { readonly agent: Agent; readonly onViolation: (message: string) => void }

async function checkReady(environment: SoakEnvironment, onViolation: (message: string) => void): Promise<void> {
  // The indexer signs no notes and is never ready.
  for (const serviceProcess of Object.values(environment.replicas)) {
    const readiness = await readReadiness(serviceProcess)
    if (readiness?.ready) continue
    const failed = readiness?.findings
      .filter(({ severity }) => severity !== 'ok')
      .map(({ subject, message }) => `${subject}: ${message}`)
    onViolation(`${serviceProcess.name} is not ready at the end: ${failed?.join('; ') ?? 'no response'}`)
  }
}

async function checkSameNotes(environment: SoakEnvironment, { agent, onViolation }: Parts): Promise<void> {
  const get = (name: ReplicaName) =>
    call(`${environment.replicas[name].baseUrl}/notes`, {
      agent,
      headers: { 'x-api-key': environment.keys[0] as string },
    }).then(
      ({ status, body }) => `${status} ${body}`,
      (error: Error) => error.message,
    )
  const [a, b] = await Promise.all(replicaNames.map(get))
  if (a !== b || !a?.startsWith('200 ')) onViolation(`/notes at the end: ${a?.slice(0, 100)} and ${b?.slice(0, 100)}`)
}

/** Compares the positions of each chain on each replica. Lending has stopped, so the indexes catch up. */
async function checkPositions(
  environment: SoakEnvironment,
  { agent, onViolation }: Parts,
): Promise<EndReport['positions']> {
  return Promise.all(
    environment.chains.map(async (chain) => {
      const onChain = await readChainPositions(chain)
      const states = await readPositionStates(chain, { knownIds: onChain.length })
      for (const name of replicaNames) {
        const { baseUrl } = environment.replicas[name]
        const attempt = { baseUrl, chainId: chain.id, key: environment.keys[0] as string, agent }
        const difference = () =>
          readServedPositions(attempt).then(
            (served) => comparePositions(served, { chain: onChain }) ?? compareWithStates(served, { states }),
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

/** Checks that every note that was ever served is stored with the same signature. */
async function checkStored(
  { databaseUrl }: SoakEnvironment,
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
    onViolation(`a served note is not stored: chain ${chainid}, maturity ${maturity_timestamp}`)
  }
}
