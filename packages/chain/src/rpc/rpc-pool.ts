import { backoffMs } from '@tallystick/base/pure'
import { type ChainIdentity, createChainIdentity, isForeign } from './chain-identity.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import { RpcError } from './rpc-error.ts'

type Write = (details: Readonly<Record<string, unknown>>, message: string) => void

/** Log for failures and recoveries of RPCs. A pino logger fits. */
type RpcLog = { readonly info: Write; readonly warn: Write }

export type RpcPool = {
  /**
   * Runs work on the first healthy endpoint, and on the next one if that fails. All calls of the work go to one endpoint,
   * so that their results are consistent, and the endpoint is confirmed to serve the chain while it works. A `refused` or
   * `changed` error is rethrown: the work handles it. With `startAt` it prefers another endpoint than the first.
   */
  run<Result>(work: (endpoint: RpcEndpoint) => Promise<Result>, options?: RunOptions): Promise<Result>
  /** Description of the endpoints that fail, or undefined. It names hosts only. */
  readonly problem: string | undefined
  /** Whether an endpoint contradicts blocks that count as final, and none agrees with them. */
  readonly isDisputed: boolean
}

type RunOptions = { readonly startAt?: number | undefined }

export type RpcPoolOptions = {
  readonly endpoints: readonly RpcEndpoint[]
  readonly chainId: number
  /** Shared by all pools of the chain. By default the pool has its own. */
  readonly identity?: ChainIdentity | undefined
  readonly log: RpcLog
  /** Delay until an endpoint is used again after its first failure, 100 ms by default. Further failures double it. */
  readonly retryMs?: number | undefined
}

type Member = {
  readonly endpoint: RpcEndpoint
  /** Whether it was confirmed to serve the chain since its last failure. */
  isVerified: boolean
  fault?: RpcError | undefined
  failures: number
  /** By `performance.now()`: like all limits of network I/O in real time. */
  retryAtMs: number
  verifying?: Promise<void> | undefined
}

const retryMsDefault = 100
// Short, so that a recovered endpoint is used again within seconds.
const retryMsMax = 5_000

/** Creates a pool that prefers the first endpoint and uses no endpoint that is not confirmed to serve the chain. */
export function createRpcPool(given: RpcPoolOptions): RpcPool {
  const { identity = createChainIdentity(given.chainId) } = given
  const options = { ...given, identity }
  const members = options.endpoints.map(
    (endpoint): Member => ({ endpoint, isVerified: false, failures: 0, retryAtMs: 0 }),
  )
  const verifyOnce = (member: Member) => {
    member.verifying ??= verify(member, options).finally(() => {
      member.verifying = undefined
    })
    return member.verifying
  }
  return {
    get problem() {
      const faults = members.flatMap((member) => {
        const fault = findFault(member, options)
        return fault ? [`${member.endpoint.label} ${fault.message}`] : []
      })
      return faults.length > 0 ? `RPC ${faults.join('; ')}.` : undefined
    },
    get isDisputed() {
      const faults = members.map((member) => findFault(member, options))
      return faults.every((fault) => fault !== undefined) && faults.some((fault) => fault?.kind === 'disputed')
    },
    run: async (work, { startAt = 0 } = {}) => {
      const ordered = [...members.slice(startAt % members.length), ...members.slice(0, startAt % members.length)]
      // Somebody else in the process may have found that an endpoint serves another chain.
      for (const member of members) if (identity.faultOf(member.endpoint)) member.isVerified = false
      // Endpoints are verified in the background, so that work returns to the first one when it has recovered.
      for (const member of members) if (!member.isVerified && isRetryDue(member)) void verifyOnce(member)
      const tried = new Set<Member>()
      for (;;) {
        const member = await findNext(ordered, tried)
        if (!member) throw new NoRpcError()
        tried.add(member)
        try {
          const [result] = await Promise.all([work(member.endpoint), identity.confirm(member.endpoint)])
          member.failures = 0
          return result
        } catch (error) {
          if (!(error instanceof RpcError) || error.kind === 'refused' || error.kind === 'changed') throw error
          if (isForeign(error)) identity.reject(member.endpoint, error)
          backOff(options, { member, error })
        }
      }
    },
  }
}

/** Returns the first verified member. Waits for a verification only if there is none, because it may hang. */
async function findNext(members: readonly Member[], tried: ReadonlySet<Member>): Promise<Member | undefined> {
  for (;;) {
    const untried = members.filter((member) => !tried.has(member))
    const found = untried.find(({ isVerified }) => isVerified)
    const verifying = untried.flatMap((member) => (member.verifying ? [member.verifying] : []))
    if (found || verifying.length === 0) return found
    await Promise.race(verifying)
  }
}

function isRetryDue(member: Member): boolean {
  return performance.now() >= member.retryAtMs
}

type Options = RpcPoolOptions & { readonly identity: ChainIdentity }

function findFault({ endpoint, fault }: Member, { identity }: Options): RpcError | undefined {
  return identity.faultOf(endpoint) ?? fault
}

async function verify(member: Member, options: Options): Promise<void> {
  const { identity, log } = options
  try {
    await identity.check(member.endpoint)
    if (member.fault) log.info({ rpc: member.endpoint.label }, 'RPC recovered')
    member.isVerified = true
    member.fault = undefined
  } catch (error) {
    if (error instanceof RpcError) backOff(options, { member, error })
  }
}

function backOff(
  { log, retryMs = retryMsDefault }: RpcPoolOptions,
  { member, error }: { readonly member: Member; readonly error: RpcError },
): void {
  if (member.fault?.message !== error.message)
    log.warn({ rpc: member.endpoint.label, problem: error.message }, 'RPC request failed')
  member.isVerified = false
  member.fault = error
  const delayMs = Math.max(backoffMs(member.failures, { minMs: retryMs, maxMs: retryMsMax }), error.retryAfterMs ?? 0)
  member.failures += 1
  member.retryAtMs = performance.now() + Math.min(delayMs, retryMsMax)
}

/** Error thrown when every endpoint failed. The pool's `problem` has the reasons. */
export class NoRpcError extends Error {
  override readonly name = 'NoRpcError' as const
  readonly retryable = true

  constructor() {
    super('No RPC returned a usable response.')
  }
}
