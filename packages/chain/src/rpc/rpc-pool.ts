import { backoffMs } from '@tallystick/core/retry/backoff-ms'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import { RpcError } from './rpc-error.ts'

type Write = (details: Readonly<Record<string, unknown>>, message: string) => void

/** Log for failures and recoveries of RPCs. A pino logger fits. */
export type RpcLog = { readonly info: Write; readonly warn: Write }

export type RpcPool = {
  /**
   * Does some work on the first server that is well, on the next one if that fails. All of the work is on one server,
   * so that its answers fit together. A refusal is the work's own affair and goes through.
   */
  run<Result>(work: (endpoint: RpcEndpoint) => Promise<Result>): Promise<Result>
  /** What is wrong with which server, if anything. */
  readonly problem: string | undefined
}

type Member = {
  readonly endpoint: RpcEndpoint
  /** Whether it has said, since it last failed, that it is of the right chain. */
  isVerified: boolean
  fault: string | undefined
  failures: number
  restsUntilMs: number
  verifying: Promise<void> | undefined
}

// A short failure is over soon; a long one is looked at often enough to be back in use within seconds.
const backoff = { minMs: 100, maxMs: 5_000 }

export function createRpcPool(options: {
  readonly endpoints: readonly RpcEndpoint[]
  readonly chainId: number
  readonly log: RpcLog
}): RpcPool {
  const members = options.endpoints.map(
    (endpoint): Member => ({
      endpoint,
      isVerified: false,
      fault: undefined,
      failures: 0,
      restsUntilMs: 0,
      verifying: undefined,
    }),
  )
  const verifyOnce = (member: Member) => {
    member.verifying ??= verify(member, options).finally(() => {
      member.verifying = undefined
    })
    return member.verifying
  }
  return {
    get problem() {
      const faults = members.flatMap(({ endpoint, fault }) => (fault ? [`${endpoint.label} ${fault}`] : []))
      return faults.length > 0 ? `RPC ${faults.join('; ')}.` : undefined
    },
    run: async (work) => {
      // Those that rest are looked at on the side, so that work goes back to the first when it is well.
      for (const member of members) if (!member.isVerified && hasRested(member)) void verifyOnce(member)
      const tried = new Set<Member>()
      for (;;) {
        const member = await findNext(members, tried)
        if (!member) throw new NoRpcError()
        tried.add(member)
        try {
          const result = await work(member.endpoint)
          member.failures = 0
          return result
        } catch (error) {
          if (!(error instanceof RpcError) || error.kind === 'refused' || error.kind === 'changed') throw error
          rest(member, { error, log: options.log })
        }
      }
    },
  }
}

/** The first that is well. One that is still being looked at is waited for only if there is none: it may hang. */
async function findNext(members: readonly Member[], tried: ReadonlySet<Member>): Promise<Member | undefined> {
  for (;;) {
    const untried = members.filter((member) => !tried.has(member))
    const found = untried.find(({ isVerified }) => isVerified)
    const verifying = untried.flatMap((member) => (member.verifying ? [member.verifying] : []))
    if (found || verifying.length === 0) return found
    await Promise.race(verifying)
  }
}

function hasRested(member: Member): boolean {
  return Date.now() >= member.restsUntilMs
}

async function verify(
  member: Member,
  { chainId, log }: { readonly chainId: number; readonly log: RpcLog },
): Promise<void> {
  try {
    const answered = Number(await member.endpoint.call({ method: 'eth_chainId', params: [] }))
    if (answered !== chainId) {
      const message = `is of chain ${answered}, the configuration says ${chainId}: it is not used. Correct its URL or the chain id`
      throw new RpcError({ kind: 'error', message })
    }
    if (member.fault) log.info({ rpc: member.endpoint.label }, 'the RPC is well again')
    member.isVerified = true
    member.fault = undefined
  } catch (error) {
    if (error instanceof RpcError) rest(member, { error, log })
  }
}

function rest(member: Member, { error, log }: { readonly error: RpcError; readonly log: RpcLog }): void {
  if (member.fault !== error.message) log.warn({ rpc: member.endpoint.label, problem: error.message }, 'the RPC fails')
  member.isVerified = false
  member.fault = error.message
  const restMs = Math.max(backoffMs(member.failures, backoff), error.retryAfterMs ?? 0)
  member.failures += 1
  member.restsUntilMs = Date.now() + Math.min(restMs, backoff.maxMs)
}

/** No server could do the work; what is wrong with each is in the pool's `problem`. */
export class NoRpcError extends Error {
  override readonly name = 'NoRpcError' as const
  readonly retryable = true

  constructor() {
    super('No RPC gives usable answers.')
  }
}
