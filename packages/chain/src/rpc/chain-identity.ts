import { createHash } from 'node:crypto'
import { type BlockHeader, findBlock } from './read-blocks.ts'
import type { RpcEndpoint } from './rpc-endpoint.ts'
import { RpcError } from './rpc-error.ts'

/** Block that every endpoint of a chain must have. */
export type Anchor = { readonly number: number; readonly hash: string; readonly kind: 'deployment' | 'final' }

/**
 * What the endpoints of a chain are checked against. Everything in a process that uses the chain shares it, so that an
 * endpoint that failed the check is used by nobody.
 */
export type ChainIdentity = {
  readonly chainId: number
  /** Blocks of this chain that an index has. Empty until one is known. */
  anchors: readonly Anchor[]
  /** Throws an `RpcError` unless the endpoint serves this chain and has the anchors. */
  check(endpoint: RpcEndpoint): Promise<void>
  /** As `check`, but accepts the result of anybody's check a moment ago. */
  confirm(endpoint: RpcEndpoint): Promise<void>
  /** Returns why an endpoint is not used, by the last check of anybody. */
  faultOf(endpoint: RpcEndpoint): RpcError | undefined
  /** Records that an endpoint contradicts the index. */
  reject(endpoint: RpcEndpoint, fault: RpcError): void
}

// A follower reads the head at this interval. More checks than reads would be a waste.
const confirmedMs = 1_000
// Every stored block descends from the anchors, so they are read again only now and then, and before a reorg is followed.
const anchoredMs = 10_000

type State = {
  confirmedAtMs: number
  anchoredAtMs: number
  anchors?: readonly Anchor[] | undefined
  fault?: RpcError | undefined
}

export function createChainIdentity(chainId: number): ChainIdentity {
  const states = new Map<string, State>()
  const stateOf = ({ label, url = label }: RpcEndpoint): State => {
    const key = createHash('sha256').update(url).digest('hex')
    const state = states.get(key) ?? { confirmedAtMs: Number.NEGATIVE_INFINITY, anchoredAtMs: Number.NEGATIVE_INFINITY }
    states.set(key, state)
    return state
  }
  const checkWith = async (endpoint: RpcEndpoint, anchors: readonly Anchor[] | undefined) => {
    const state = stateOf(endpoint)
    try {
      await Promise.all([checkChainId(endpoint, chainId), checkAnchors(endpoint, anchors ?? [])])
    } catch (error) {
      if (isForeign(error)) state.fault = error
      throw error
    }
    state.confirmedAtMs = performance.now()
    if (!anchors) return
    state.anchoredAtMs = state.confirmedAtMs
    state.anchors = anchors
    state.fault = undefined
  }
  const identity: ChainIdentity = {
    chainId,
    anchors: [],
    check: (endpoint) => checkWith(endpoint, identity.anchors),
    confirm: async (endpoint) => {
      const { fault, confirmedAtMs, anchoredAtMs, anchors } = stateOf(endpoint)
      const nowMs = performance.now()
      const isAnchored = !fault && anchors === identity.anchors && nowMs - anchoredAtMs < anchoredMs
      if (isAnchored && nowMs - confirmedAtMs < confirmedMs) return
      await checkWith(endpoint, isAnchored ? undefined : identity.anchors)
    },
    faultOf: (endpoint) => stateOf(endpoint).fault,
    reject: (endpoint, fault) => {
      stateOf(endpoint).fault = fault
    },
  }
  return identity
}

/** Returns whether an endpoint serves another chain, or another history of the chain than the index has. */
export function isForeign(error: unknown): error is RpcError {
  return error instanceof RpcError && (error.kind === 'foreign' || error.kind === 'disputed')
}

async function checkChainId(endpoint: RpcEndpoint, chainId: number): Promise<void> {
  const reported = Number(await endpoint.call({ method: 'eth_chainId', params: [] }))
  if (reported === chainId) return
  const message = `serves chain ${reported}, not chain ${chainId}, and is not used. Correct its URL or the chain id`
  throw new RpcError({ kind: 'foreign', message })
}

async function checkAnchors(endpoint: RpcEndpoint, anchors: readonly Anchor[]): Promise<void> {
  await Promise.all(
    anchors.map(async ({ number, hash, kind }) => {
      const found = await findKept(endpoint, number)
      if (!found || found.hash === hash) return
      const fault = `has another block ${number} (${found.hash}) than the index (${hash}) and is not used`
      throw kind === 'deployment'
        ? new RpcError({ kind: 'foreign', message: `${fault}. It serves another chain. Correct its URL` })
        : new RpcError({ kind: 'disputed', message: fault })
    }),
  )
}

/** Finds a block. A node that lags does not have it yet, and a pruned one answers with an error. That says nothing. */
async function findKept(endpoint: RpcEndpoint, number: number): Promise<BlockHeader | undefined> {
  try {
    return await findBlock(endpoint, number)
  } catch (error) {
    if (error instanceof RpcError && error.kind === 'error') return undefined
    throw error
  }
}
