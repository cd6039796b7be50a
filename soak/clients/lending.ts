import { setTimeout } from 'node:timers/promises'
import type { Clock } from '@tallystick/base'
import { poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { decodeNote, type WireNote } from '@tallystick/core'
import { daySeconds, encodeMissingIncomes, gasPerTransaction, sandboxWallets } from '@tallystick/sandbox'
import { callNode, toQuantity } from '@tallystick/workbench/dev-chain/call-node'
import { createRandom, pick, type Random } from '@tallystick/workbench/random'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, zeroHash } from 'viem'
import { type SoakChain, seededPositions } from '../environment/chain.ts'

export type Lending = {
  /** Number of transactions so far. */
  readonly counts: Readonly<Record<'lent' | 'transferred' | 'claimed', number>>
  stop(): Promise<void>
}

export type LendingOptions = {
  readonly seed: number
  readonly clock: Clock
  /** The notes of this chain that were served last. */
  readonly notes: () => readonly WireNote[]
  /** Whether a fault makes the pool reject valid notes at some time of a span, Unix milliseconds. */
  readonly isRejecting: (span: { readonly fromMs: number; readonly toMs: number }) => boolean
  readonly onViolation: (message: string) => void
}

type Sent = { readonly hash: Hex; readonly note: WireNote; readonly atMs: number }

const actEveryMs = 1_200
// There is a block every second. A transaction that a reorg removed has no receipt.
const settleMs = 4_000
const { lenders } = sandboxWallets()

/** Lends with served notes, transfers positions and claims them until it is stopped. */
export function startLending(chain: SoakChain, options: LendingOptions): Lending {
  const random = createRandom(options.seed)
  const counts = { lent: 0, transferred: 0, claimed: 0 }
  let sent: readonly Sent[] = []
  let isStopped = false
  const act = async () => {
    await reportIncomes(chain, options.clock)
    if (random() < 0.65) {
      const note = options.notes().length > 0 ? pick(random, options.notes()) : undefined
      if (!note) return
      sent = [...sent, { hash: await lend(chain, { note, random }), note, atMs: Date.now() }]
      counts.lent++
    } else {
      const done = await movePosition(chain, {
        random,
        clock: options.clock,
        positionCount: seededPositions + counts.lent,
      })
      if (done) counts[done]++
    }
    const due = sent.filter(({ atMs }) => Date.now() - atMs > settleMs)
    sent = sent.filter((one) => !due.includes(one))
    for (const one of due) {
      const refusal = await findRefusal(chain, one)
      if (refusal && !options.isRejecting({ fromMs: one.atMs, toMs: Date.now() })) options.onViolation(refusal)
    }
  }
  const running = (async () => {
    while (!isStopped) {
      // A reorg or a moved clock can make a transaction fail. The next one is sent anyway.
      await act().catch(() => undefined)
      await setTimeout(actEveryMs * (0.5 + random()))
    }
  })()
  return {
    counts,
    stop: async () => {
      isStopped = true
      await running
    },
  }
}

async function lend(
  chain: SoakChain,
  { note, random }: { readonly note: WireNote; readonly random: Random },
): Promise<Hex> {
  const { address } = pick(random, lenders)
  const principal = BigInt(1_000 + Math.floor(random() * 1_000)) * 10n ** 18n
  const params = { beneficiary: address, partnerId: zeroHash, partnerFeeBPS: 0n, principal }
  const decoded = decodeNote(note)
  const data = encodeFunctionData({ abi: poolAbi, functionName: 'lend', args: [params, decoded, decoded.signature] })
  return send(chain, { from: address, to: chain.protocol.pool, data })
}

/** Claims a random position if it has matured. Transfers it otherwise. */
async function movePosition(
  chain: SoakChain,
  { random, clock, positionCount }: { readonly random: Random; readonly clock: Clock; readonly positionCount: number },
): Promise<'transferred' | 'claimed' | undefined> {
  const { pool, positions } = chain.protocol
  const tokenId = BigInt(1 + Math.floor(random() * positionCount))
  const from = decodeFunctionResult({
    abi: positionTokenAbi,
    functionName: 'ownerOf',
    data: await read(chain, encodeFunctionData({ abi: positionTokenAbi, functionName: 'ownerOf', args: [tokenId] })),
  })
  const { maturityTimestamp } = decodeFunctionResult({
    abi: positionTokenAbi,
    functionName: 'getLendInfo',
    data: await read(
      chain,
      encodeFunctionData({ abi: positionTokenAbi, functionName: 'getLendInfo', args: [tokenId] }),
    ),
  })
  if (maturityTimestamp < BigInt(Math.floor(clock.now() / 1000))) {
    const approve = encodeFunctionData({ abi: positionTokenAbi, functionName: 'approve', args: [pool, tokenId] })
    await send(chain, { from, to: positions, data: approve })
    const data = encodeFunctionData({ abi: poolAbi, functionName: 'claim', args: [from, tokenId] })
    await send(chain, { from, to: pool, data })
    return 'claimed'
  }
  const to = pick(random, lenders).address
  const data = encodeFunctionData({ abi: positionTokenAbi, functionName: 'transferFrom', args: [from, to, tokenId] })
  await send(chain, { from, to: positions, data })
  return 'transferred'
}

/** Returns a message if the pool rejected a served note in a block inside its window, or undefined. */
async function findRefusal(chain: SoakChain, { hash, note }: Sent): Promise<string | undefined> {
  const [receipt] = await callNode(chain.url, [{ method: 'eth_getTransactionReceipt', params: [hash] }])
  const { status, blockNumber } = (receipt ?? {}) as { status?: Hex; blockNumber?: Hex }
  if (status !== '0x0') return undefined
  const [block] = await callNode(chain.url, [{ method: 'eth_getBlockByNumber', params: [blockNumber, false] }])
  const at = Number((block as { timestamp: Hex }).timestamp)
  if (at <= Number(note.signature_valid_after) || at >= Number(note.signature_valid_before)) return undefined
  return `the pool of chain ${chain.id} rejected a note inside its window in transaction ${hash}`
}

/** Reports the floating income of each UTC day after its end. */
async function reportIncomes(chain: SoakChain, clock: Clock): Promise<void> {
  const today = BigInt(Math.floor(clock.now() / 1000)) / daySeconds
  const { pool } = chain.protocol
  for (const transaction of await encodeMissingIncomes(chain.url, { pool, today })) {
    await send(chain, transaction)
  }
}

async function read({ url, protocol }: SoakChain, data: Hex): Promise<Hex> {
  const [result] = await callNode(url, [{ method: 'eth_call', params: [{ to: protocol.positions, data }, 'latest'] }])
  return result as Hex
}

async function send(
  { url }: SoakChain,
  transaction: { readonly from: Address; readonly to: Address; readonly data: Hex },
): Promise<Hex> {
  const gas = toQuantity(gasPerTransaction)
  const [hash] = await callNode(url, [{ method: 'eth_sendTransaction', params: [{ ...transaction, gas }] }])
  return hash as Hex
}
