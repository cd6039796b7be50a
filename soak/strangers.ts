import { Agent } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { type Answer, call } from './call.ts'
import { embeddedChainId } from './explain.ts'
import { type InjectedFault, type PlannedFault, replicaNames } from './fault.ts'
import { hostileBodies } from './hostile-queries.ts'
import { CannotInjectError, type Ending, type Injector } from './injector.ts'
import type { Member } from './member.ts'

// Any address of the loopback network is this machine on Linux: strangers have their own, apart from the callers.
const queryAddress = '127.0.0.2'
const floodAddress = '127.0.0.3'
const perSecond = 5
const turnMs = 3_000
const underWayMax = 20

/**
 * Strangers without a key. From one address come five hostile queries a second to each replica, with pauses in which
 * nothing else changes; in one way of doing it, connections that never finish their handshake come from another.
 */
export async function letStrangersIn(injector: Injector, { variant }: PlannedFault): Promise<Ending> {
  if (process.platform !== 'linux') throw new CannotInjectError('addresses of their own for strangers take Linux')
  const members = replicaNames.map((name) => injector.world.replicas[name])
  const sockets = variant === 1 ? members.flatMap((member) => openUnfinished(member)) : []
  const agent = new Agent({ ca: injector.world.authority.cert, keepAlive: true, localAddress: queryAddress })
  let isOver = false
  const querying = sendInTurns(injector, { members, agent, isOver: () => isOver })
  return async () => {
    isOver = true
    await querying
    injector.latency.enter(undefined)
    agent.destroy()
    const open = sockets.filter(({ destroyed }) => !destroyed).length
    for (const socket of sockets) socket.destroy()
    if (open > 0) injector.onViolation(`${open} of ${sockets.length} unfinished handshakes are still open`)
  }
}

async function sendInTurns(
  injector: Injector,
  {
    members,
    agent,
    isOver,
  }: { readonly members: readonly Member[]; readonly agent: Agent; readonly isOver: () => boolean },
): Promise<void> {
  const underWay = new Set<Promise<void>>()
  let next = 0
  while (!isOver()) {
    injector.latency.enter('hostile')
    for (let sent = 0; sent < (perSecond * turnMs) / 1000 && !isOver(); sent++) {
      for (const member of underWay.size < underWayMax ? members : []) {
        const sending = send(injector, { member, agent, index: next }).finally(() => underWay.delete(sending))
        underWay.add(sending)
      }
      next++
      await setTimeout(1000 / perSecond)
    }
    // What is still being answered would make the pause slow.
    await Promise.all(underWay)
    injector.latency.enter('pause')
    const untilMs = Date.now() + turnMs
    while (!isOver() && Date.now() < untilMs) await setTimeout(50)
  }
}

async function send(
  { onViolation, onStranger, faults, elapsedMs }: Injector,
  { member, agent, index }: { readonly member: Member; readonly agent: Agent; readonly index: number },
): Promise<void> {
  const { name, body } = hostileBodies[index % hostileBodies.length] as (typeof hostileBodies)[number]
  const headers = { 'content-type': 'application/json' }
  const sentMs = elapsedMs()
  const url = `${member.baseUrl}/subgraphs/${embeddedChainId}`
  const result = await call(url, { agent, method: 'POST', headers, body }).catch((error: Error) => error)
  const answer = result instanceof Error ? undefined : result
  onStranger({ endpoint: '/subgraphs', answer })
  const words = result instanceof Error ? result.message : findWrong(result, isDatabaseAway(faults(), sentMs))
  if (words) onViolation(`${member.name} /subgraphs: ${name}: ${words}`)
}

const refusals = [400, 413, 429, 503]
const withoutDatabase = [502, 504]

/** What a stranger must not be answered, in words. */
export function findWrong({ status, headers, body }: Answer, databaseIsAway: boolean): string | undefined {
  if (status === 200) return isGraphql(body) ? undefined : `200 without data or errors: ${body.slice(0, 100)}`
  if (status === 429 && !(Number(headers['retry-after']) >= 1)) return '429 without a Retry-After'
  if (refusals.includes(status) || (databaseIsAway && withoutDatabase.includes(status))) return undefined
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

function isDatabaseAway(faults: readonly InjectedFault[], sentMs: number): boolean {
  return faults.some(
    ({ kind, endedMs = Number.POSITIVE_INFINITY }) => kind === 'postgres-stop' && sentMs <= endedMs + reconnectMs,
  )
}

const unfinished = 300

/** Connections that send the five bytes of a TLS record's head and nothing else, ever. */
function openUnfinished({ baseUrl }: Member): readonly Socket[] {
  const { port } = new URL(baseUrl)
  return Array.from({ length: unfinished }, () => {
    const socket = connectPlain({ host: '127.0.0.1', port: Number(port), localAddress: floodAddress })
    socket.on('error', () => undefined)
    socket.resume()
    socket.write(Buffer.from([0x16, 0x03, 0x01, 0x02, 0x00]))
    return socket
  })
}
