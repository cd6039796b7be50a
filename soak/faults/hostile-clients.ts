import { Agent } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type Answer, call } from '../clients/call.ts'
import type { ServiceProcess } from '../environment/service-process.ts'
import { embeddedChainId } from '../judges/explain.ts'
import { type InjectedFault, type PlannedFault, replicaNames } from './fault.ts'
import { hostileBodies } from './hostile-queries.ts'
import { CannotInjectError, type EndFault, type Injector } from './injector.ts'

// On Linux every loopback address is this machine, so hostile clients have addresses of their own.
const queryAddress = '127.0.0.2'
const floodAddress = '127.0.0.3'
const perSecond = 5
const turnMs = 3_000
const pendingMax = 20

/**
 * Starts hostile clients without a key. One address sends five hostile queries per second to each replica, with pauses in
 * which nothing else changes. In variant 1, another address opens connections that never finish their handshake.
 */
export async function startHostileClients(injector: Injector, { variant }: PlannedFault): Promise<EndFault> {
  if (process.platform !== 'linux') throw new CannotInjectError('separate client addresses need Linux')
  const serviceProcesses = replicaNames.map((name) => injector.environment.replicas[name])
  const sockets =
    variant === 1 ? serviceProcesses.flatMap((serviceProcess) => openUnfinishedHandshakes(serviceProcess)) : []
  const agent = new Agent({ ca: injector.environment.authority.cert, keepAlive: true, localAddress: queryAddress })
  let isOver = false
  const querying = sendInTurns(injector, { serviceProcesses, agent, isOver: () => isOver })
  return async () => {
    isOver = true
    await querying
    injector.latency.enter(undefined)
    agent.destroy()
    const open = sockets.filter(({ destroyed }) => !destroyed).length
    for (const socket of sockets) socket.destroy()
    if (open > 0) injector.onViolation(`${open} of ${sockets.length} unfinishedCount handshakes are still open`)
  }
}

async function sendInTurns(
  injector: Injector,
  {
    serviceProcesses,
    agent,
    isOver,
  }: { readonly serviceProcesses: readonly ServiceProcess[]; readonly agent: Agent; readonly isOver: () => boolean },
): Promise<void> {
  const pending = new Set<Promise<void>>()
  let next = 0
  while (!isOver()) {
    injector.latency.enter('hostile')
    for (let sent = 0; sent < (perSecond * turnMs) / 1000 && !isOver(); sent++) {
      for (const serviceProcess of pending.size < pendingMax ? serviceProcesses : []) {
        const sending = send(injector, { serviceProcess, agent, index: next }).finally(() => pending.delete(sending))
        pending.add(sending)
      }
      next++
      await setTimeout(1000 / perSecond)
    }
    // Pending queries would slow down the pause.
    await Promise.all(pending)
    injector.latency.enter('pause')
    const untilMs = Date.now() + turnMs
    while (!isOver() && Date.now() < untilMs) await setTimeout(50)
  }
}

async function send(
  { onViolation, onPublicRequest, faults, elapsedMs }: Injector,
  {
    serviceProcess,
    agent,
    index,
  }: { readonly serviceProcess: ServiceProcess; readonly agent: Agent; readonly index: number },
): Promise<void> {
  const { name, body } = hostileBodies[index % hostileBodies.length] as (typeof hostileBodies)[number]
  const headers = { 'content-type': 'application/json' }
  const sentMs = elapsedMs()
  const url = `${serviceProcess.baseUrl}/subgraphs/${embeddedChainId}`
  const result = await call(url, { agent, method: 'POST', headers, body }).catch((error: Error) => error)
  const answer = result instanceof Error ? undefined : result
  onPublicRequest({ endpoint: '/subgraphs', answer })
  const words =
    result instanceof Error ? result.message : findResponseProblem(result, isDatabaseUnavailable(faults(), sentMs))
  if (words) onViolation(`${serviceProcess.name} /subgraphs: ${name}: ${words}`)
}

const refusals = [400, 413, 429, 503]
const withoutDatabase = [502, 504]

/** Describes a response that a hostile query must not get. Returns undefined if the response is valid. */
export function findResponseProblem(
  { status, headers, body }: Answer,
  isDatabaseUnavailable: boolean,
): string | undefined {
  if (status === 200) return isGraphql(body) ? undefined : `200 without data or errors: ${body.slice(0, 100)}`
  if (status === 429 && !(Number(headers['retry-after']) >= 1)) return '429 without a Retry-After'
  if (refusals.includes(status) || (isDatabaseUnavailable && withoutDatabase.includes(status))) return undefined
  return `${status} ${body.slice(0, 200)}`
}

function isGraphql(body: string): boolean {
  try {
    const { data, errors } = JSON.parse(body) as { data?: unknown; errors?: unknown }
    return data !== undefined || Array.isArray(errors)
  } catch {
    return false
  }
}

const reconnectMs = 5_000

function isDatabaseUnavailable(faults: readonly InjectedFault[], sentMs: number): boolean {
  return faults.some(
    ({ kind, endedMs = Number.POSITIVE_INFINITY }) =>
      (kind === 'postgres-stop' || kind === 'postgres-stall') && sentMs <= endedMs + reconnectMs,
  )
}

const unfinishedCount = 300

/** Opens connections that send only the five header bytes of a TLS record. */
function openUnfinishedHandshakes({ baseUrl }: ServiceProcess): readonly Socket[] {
  const { port } = new URL(baseUrl)
  return Array.from({ length: unfinishedCount }, () => {
    const socket = connectPlain({ host: '127.0.0.1', port: Number(port), localAddress: floodAddress })
    socket.on('error', () => undefined)
    socket.resume()
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]))
    return socket
  })
}
