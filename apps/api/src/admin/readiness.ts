import type { Database } from '@tallystick/database'
import type { Follower, FollowerStatus } from '@tallystick/subgraph'
import type { Clock } from '../clock.ts'
import type { RemoteSubgraph } from '../data/remote-subgraph.ts'
import type { PublishedNotes, WithheldNotes } from '../notes/published-notes.ts'
import type { PoolWatch, WatchedPool } from '../notes/watch/watch-pools.ts'

export type Check = {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** Whether the service is not ready while this check fails. */
  readonly required: boolean
  /** What to do, if the check knows more than its name tells. */
  readonly advice?: string | undefined
}

export type Readiness = { readonly ready: boolean; readonly checks: readonly Check[] }

const databaseTimeoutMs = 2_000
// A chain without traffic seals blocks late. After 15 minutes its RPC is considered stuck, as in the rails.
const silenceMaxSeconds = 900

/**
 * Checks whether the service is ready: the public listener accepts connections, the current notes of every chain are in
 * memory, the database responds and agrees with the signed notes, and the clocks agree about the period. The checks of
 * subgraphs, pools and webhooks are informational, because notes can be served without them.
 */
export async function checkReadiness({
  database,
  published,
  clock,
  chainIds,
  subgraphs,
  remote = [],
  poolWatch,
  checkSignedNotes,
  checkClocks,
  checkHooks,
  checkLog = () => [],
  isListening,
}: {
  readonly database: Database
  readonly published: PublishedNotes
  readonly clock: Clock
  readonly chainIds: readonly number[]
  readonly subgraphs: ReadonlyMap<number, { readonly follower: Pick<Follower, 'status'> }>
  readonly remote?: readonly Pick<RemoteSubgraph, 'chainId' | 'status'>[] | undefined
  readonly poolWatch?: Pick<PoolWatch, 'find'> | undefined
  /** Checks that memory, signer journal and database agree. */
  readonly checkSignedNotes: () => Check
  readonly checkClocks: () => readonly Check[]
  readonly checkHooks?: (() => Check) | undefined
  /** Checks the public log, if there is one. */
  readonly checkLog?: (() => readonly Check[]) | undefined
  /** Returns false before the public listener is open and from the start of a shutdown. */
  readonly isListening: () => boolean
}): Promise<Readiness> {
  const period = published.at(clock.now())
  const notes = chainIds.map((chainId) => {
    const count = period?.sets.get(chainId)?.notes.length ?? 0
    return checkNotes(chainId, { count, withheld: published.findWithheld(chainId, clock.now()) })
  })
  const indexes = [...subgraphs].map(([chainId, { follower }]) =>
    checkSubgraph(chainId, { status: follower.status(), nowSeconds: clock.now() / 1000 }),
  )
  const own = [await checkDatabase(database), checkListener(isListening()), checkSignedNotes()]
  const pools = chainIds.flatMap((chainId) => checkPool(chainId, poolWatch?.find(chainId)))
  const hooks = checkHooks ? [checkHooks()] : []
  const checks = [
    ...notes,
    ...own,
    ...checkClocks(),
    ...checkLog(),
    ...indexes,
    ...remote.map((one) => checkRemote(one, { isSecond: subgraphs.has(one.chainId) })),
    ...pools,
    ...hooks,
  ]
  return { ready: checks.every(({ ok, required }) => ok || !required), checks }
}

/** Not required while the pool is the reason: it is the same for every replica, and `/notes` and `/rate` report it. */
function checkNotes(
  chainId: number,
  { count, withheld }: { readonly count: number; readonly withheld: WithheldNotes | undefined },
): Check {
  const none = withheld
    ? `the notes are withheld: ${withheld.clause}`
    : 'no notes for the current period; run `tallystick notes show` for the reason'
  const detail = count > 0 ? `${count} notes in memory` : none
  return { name: `notes of chain ${chainId}`, ok: count > 0, detail, required: !withheld }
}

function checkListener(ok: boolean): Check {
  const detail = ok ? 'accepts connections' : 'the service is starting or stopping'
  return { name: 'public listener', ok, detail, required: true }
}

function checkSubgraph(
  chainId: number,
  { status, nowSeconds }: { readonly status: FollowerStatus; readonly nowSeconds: number },
): Check {
  const { state, head, chainHead, lagBlocks } = status
  const silentSeconds = chainHead ? Math.round(nowSeconds - chainHead.timestamp) : 0
  const silence = `the RPC has had no new block for ${silentSeconds} s; it may be stuck`
  const problem = status.problem ?? (silentSeconds > silenceMaxSeconds ? silence : undefined)
  const position = head ? `at block ${head.number}${lagBlocks === undefined ? '' : `, ${lagBlocks} behind`}` : 'empty'
  const detail = problem ? `${state}, ${position}: ${problem}` : `${state}, ${position}`
  return { name: `subgraph of chain ${chainId}`, ok: problem === undefined, detail, required: false }
}

/** Not required: notes that the pool would refuse are withheld. A planned change of the signer is no fault. */
function checkPool(chainId: number, watched: WatchedPool | undefined): Check[] {
  if (!watched) return []
  const name = `pool of chain ${chainId}`
  if (!watched.problems) return [{ name, ok: false, detail: 'not read yet', required: false }]
  const found = [...watched.problems.values()]
  const detail = found.map(({ message }) => message).join('; ') || 'open'
  const advice = [...new Set(found.map(({ remedy }) => remedy))].join(' ')
  const ok = [...watched.problems.keys()].every((problem) => problem === 'signer_change')
  return [{ name, ok, detail, required: false, ...(!ok && { advice }) }]
}

/** Reports the state after the last requests. It sends none itself. */
function checkRemote(
  { chainId, status }: Pick<RemoteSubgraph, 'chainId' | 'status'>,
  { isSecond }: { readonly isSecond: boolean },
): Check {
  const upstreams = status().map(({ upstream, circuit, lastFailure, head }) => {
    const at = head ? ` at block ${head.number}` : ''
    return circuit === 'closed' ? `${upstream} is in use${at}` : `${upstream} is disabled: ${lastFailure}`
  })
  const ok = status().some(({ circuit }) => circuit === 'closed')
  const name = `${isSecond ? 'remote ' : ''}subgraph of chain ${chainId}`
  return { name, ok, detail: upstreams.join('; '), required: false }
}

async function checkDatabase(database: Database): Promise<Check> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), databaseTimeoutMs)
  })
  const answer = await Promise.race([database.query('select 1').catch(() => 'failed' as const), late])
  clearTimeout(timer)
  const ok = Array.isArray(answer)
  const detail = ok ? 'responds' : answer === 'late' ? `no response within ${databaseTimeoutMs} ms` : 'unavailable'
  return { name: database.label, ok, detail, required: true }
}
