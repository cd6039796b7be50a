import { createLogThrottle } from '@tallystick/base'
import { backoffMs } from '@tallystick/base/pure'
import { NoRpcError, RpcError } from '@tallystick/chain'
import { SubgraphError } from '../subgraph-error.ts'
import type { ChainContext, Cursor } from './chain-context.ts'
import type { FollowerProgress } from './follower-status.ts'
import type { Contradiction } from './mapping.ts'
import { repairIndex } from './repair-index.ts'

/** Watches an index for logs that were read wrongly, and repairs it. */
export type IndexHealth = {
  /** Takes a sign that the index is wrong. With `isBlocking` the follower cannot go on before a repair. */
  doubt(contradiction: Contradiction, options?: { readonly isBlocking: boolean }): void
  /** Whether a repair has to come first. */
  readonly isBlocked: boolean
  /** Records a new doubt, and repairs the index if one is due. Returns the cursor after a repair. */
  repair(context: ChainContext): Promise<Cursor | undefined>
  /** Compares a sample of the index with the chain, if that is due. Returns whether the mapping must be opened again. */
  audit(context: ChainContext): Promise<'outdated' | undefined>
}

type Doubt = Contradiction & { readonly isBlocking: boolean; attempts: number; retryAtMs: number }

// A wrong answer is found within a minute.
const auditMsDefault = 30_000
const repairMsMin = 1_000
// A fault that stays is usually a wrong configuration, and each attempt reads many blocks.
const repairMsMax = 600_000

export function createIndexHealth(progress: FollowerProgress, auditMs = auditMsDefault): IndexHealth {
  let doubt: Doubt | undefined
  let audits = 0
  const record = createFaultRecord()
  const takeTurn = createLogThrottle({ everyMs: auditMs })

  const attemptRepair = async (context: ChainContext, { message, id, locate, attempts }: Doubt) => {
    const from = await locate(context.subgraph)
    const cursor = await repairIndex(context, { from, attempt: attempts })
    // An endpoint that still leaves out logs reads the same again.
    const found = doubt ? undefined : await auditAt(context, { startAt: attempts, id })
    if (found) doubt = { ...found, isBlocking: false, attempts, retryAtMs: 0 }
    const details = { fault: message, from, to: cursor.stored.number }
    if (doubt)
      context.log.warn({ ...details, problem: doubt.message }, 'blocks were read again; the index is still wrong')
    else {
      progress.repairs += 1
      context.log.warn(details, 'index repaired: blocks were read again')
      await record.write(context, undefined)
    }
    return cursor
  }
  return {
    doubt: (contradiction, { isBlocking } = { isBlocking: false }) => {
      if (doubt && (doubt.isBlocking || !isBlocking)) return
      doubt = { ...contradiction, isBlocking, attempts: doubt?.attempts ?? 0, retryAtMs: 0 }
    },
    get isBlocked() {
      return doubt?.isBlocking ?? false
    },
    repair: async (context) => {
      doubt ??= recall(context)
      if (!doubt) return undefined
      const current = doubt
      if (await record.isGone(context)) {
        doubt = undefined
        throw wasRebuilt()
      }
      await record.write(context, current.message)
      if (performance.now() < current.retryAtMs) return undefined
      // The mapping reports again what is still wrong.
      doubt = undefined
      try {
        return await attemptRepair(context, current)
      } catch (error) {
        if (!isFailedRepair(error)) throw error
        const details = { fault: current.message, problem: (error as Error).message }
        context.log.warn(details, 'the index could not be repaired')
        return undefined
      } finally {
        const isOpen = doubt !== undefined || context.subgraph.head?.fault !== undefined
        if (isOpen) doubt = postpone(doubt ?? current, current.attempts)
      }
    },
    audit: async (context) => {
      if (doubt || !takeTurn()) return undefined
      audits += 1
      const { isOutdated } = context.mapping
      if (isOutdated && (await context.pool.run(isOutdated, { startAt: audits }))) return 'outdated'
      const found = await auditTwice(context, audits)
      if (found) doubt = { ...found, isBlocking: false, attempts: 0, retryAtMs: 0 }
      return undefined
    },
  }
}

/** Creates the writer of the fault in the store, which tells it to all replicas. */
function createFaultRecord() {
  let recorded: string | undefined
  return {
    write: async ({ subgraph, log }: ChainContext, message: string | undefined) => {
      if (recorded === message && subgraph.head?.fault === message) return
      if (message !== undefined && recorded !== message)
        log.error({ fault: message }, 'the index is wrong; repairing it')
      recorded = message
      await subgraph.setFault(message)
    },
    /** Returns whether the fault that was written is not in the store any more. */
    isGone: async ({ subgraph }: ChainContext) => {
      if (recorded === undefined || (await subgraph.readHead())?.fault !== undefined) return false
      recorded = undefined
      return true
    },
  }
}

/** Only a rebuild clears a fault from outside. The doubt was about the index before it. */
function wasRebuilt(): SubgraphError {
  return new SubgraphError({ code: 'index_replaced', message: 'The index was rebuilt. Read the head again.' })
}

function postpone(doubt: Doubt, attempts: number): Doubt {
  const delayMs = backoffMs(attempts, { minMs: repairMsMin, maxMs: repairMsMax })
  return { ...doubt, attempts: attempts + 1, retryAtMs: performance.now() + delayMs }
}

/** Compares a sample. One answer is not believed: another endpoint, or the only one again, must contradict too. */
async function auditTwice(context: ChainContext, startAt: number): Promise<Contradiction | undefined> {
  const first = await auditAt(context, { startAt, id: undefined })
  return first && auditAt(context, { startAt: startAt + 1, id: first.id })
}

async function auditAt(
  { subgraph, pool, mapping: { audit } }: ChainContext,
  { startAt, id }: { readonly startAt: number; readonly id: string | undefined },
): Promise<Contradiction | undefined> {
  if (!audit) return undefined
  const [found] = await pool.run((endpoint) => audit(subgraph, { endpoint, id }).catch(toUnknown), { startAt })
  return found
}

/** A node without the state of the block, or with another block, tells nothing. That is not a failure of the node. */
function toUnknown(error: unknown): readonly Contradiction[] {
  const isUnknown = error instanceof RpcError && ['error', 'behind', 'changed'].includes(error.kind)
  if (isUnknown) return []
  throw error
}

/** Returns the doubt that an earlier process recorded. What it would read again is not known any more, so that is all. */
function recall({ subgraph }: ChainContext): Doubt | undefined {
  const message = subgraph.head?.fault
  if (message === undefined) return undefined
  return { message, locate: async () => undefined, isBlocking: false, attempts: 0, retryAtMs: 0 }
}

/** Returns whether a repair failed in a way that another attempt may not: a bad answer, no answer, or an event that cannot be applied. */
function isFailedRepair(error: unknown): boolean {
  return error instanceof SubgraphError || error instanceof RpcError || error instanceof NoRpcError
}
