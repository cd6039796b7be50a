import { setTimeout } from 'node:timers/promises'
import type { Clock } from '@tallystick/api'
import { poolAbi, positionTokenAbi } from '@tallystick/contracts'
import { decodeNote, type WireNote } from '@tallystick/core'
import {
  callNode,
  createRandom,
  daySeconds,
  encodeMissingIncomes,
  gasPerTransaction,
  pick,
  type Random,
  sandboxWallets,
  toQuantity,
} from '@tallystick/sandbox'
import { type Address, decodeFunctionResult, encodeFunctionData, type Hex, zeroHash } from 'viem'
import { type SoakChain, seededPositions } from './chain.ts'

export type Lending = {
  /** What was sent to the chain so far. */
  readonly counts: Readonly<Record<'lent' | 'passed on' | 'claimed', number>>
  stop(): Promise<void>
}

export type LendingOptions = {
  readonly seed: number
  readonly clock: Clock
  /** The notes of this chain that were served last. */
  readonly notes: () => readonly WireNote[]
  readonly onViolation: (words: string) => void
}

type Sent = { readonly hash: Hex; readonly note: WireNote; readonly atMs: number }

const actEveryMs = 1_200
// Blocks come every second; what a reorg took has no receipt any more.
const settleMs = 4_000
const { admin, lenders } = sandboxWallets()

/** People who lend with the notes they were served, pass positions on and claim them, as long as it runs. */
export function startLending(chain: SoakChain, options: LendingOptions): Lending {
  const random = createRandom(options.seed)
  const counts = { lent: 0, 'passed on': 0, claimed: 0 }
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
      if (refusal) options.onViolation(refusal)
    }
  }
  const running = (async () => {
    while (!isStopped) {
      // What a reorg or a moved clock spoils is tried again with something else.
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

/** A position somebody holds is claimed if it is time, else given to somebody else. */
async function movePosition(
  chain: SoakChain,
  { random, clock, positionCount }: { readonly random: Random; readonly clock: Clock; readonly positionCount: number },
): Promise<'passed on' | 'claimed' | undefined> {
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
  return 'passed on'
}

/** A note that was served and is refused in a block of its own window is worth nothing to whoever got it. */
async function findRefusal(chain: SoakChain, { hash, note }: Sent): Promise<string | undefined> {
  const [receipt] = await callNode(chain.url, [{ method: 'eth_getTransactionReceipt', params: [hash] }])
  const { status, blockNumber } = (receipt ?? {}) as { status?: Hex; blockNumber?: Hex }
  if (status !== '0x0') return undefined
  const [block] = await callNode(chain.url, [{ method: 'eth_getBlockByNumber', params: [blockNumber, false] }])
  const at = Number((block as { timestamp: Hex }).timestamp)
  if (at <= Number(note.signature_valid_after) || at >= Number(note.signature_valid_before)) return undefined
  return `the pool of chain ${chain.id} refused a note inside its window, in transaction ${hash}`
}

/** Each UTC day's floating income, as soon as the day is over. */
async function reportIncomes(chain: SoakChain, clock: Clock): Promise<void> {
  const today = BigInt(Math.floor(clock.now() / 1000)) / daySeconds
  const { pool } = chain.protocol
  for (const transaction of await encodeMissingIncomes(chain.url, { pool, admin: admin.address, today })) {
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
