import { setTimeout } from 'node:timers/promises'
import type { Clock, ShiftableClock } from '@tallystick/api'
import { callNode, toQuantity } from '../call-node.ts'

const blockSeconds = 1

/** Brings a chain to the clock's second, which it returns. No block is mined from then on until the chain follows. */
export async function standAtClock(url: string, clock: Clock): Promise<bigint> {
  await callNode(url, [{ method: 'evm_setAutomine', params: [false] }])
  const second = BigInt(Math.floor(clock.now() / 1000))
  const [head] = await callNode(url, [{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  if (BigInt((head as { timestamp: string }).timestamp) >= second) return second
  await callNode(url, [{ method: 'evm_mine', params: [toQuantity(second)] }])
  return second
}

/**
 * Lets a clock run that was held. The chain counts whole seconds of the system's time, so this waits for the moment, less
 * than a second away, from which both clocks turn their seconds together.
 */
export async function runInStep(clock: ShiftableClock): Promise<void> {
  await setTimeout((((clock.now() - Date.now()) % 1000) + 1000) % 1000)
  clock.run()
}

/**
 * Makes the chain follow the clock: a transaction is mined within a second, in the clock's second. A block without
 * transactions comes when the newest one is `idleSeconds` old, each second by default.
 */
export async function followClock(
  url: string,
  { clock, idleSeconds = blockSeconds }: { readonly clock: Clock; readonly idleSeconds?: number | undefined },
): Promise<void> {
  for (;;) {
    const systemSecond = Math.floor(Date.now() / 1000)
    const offsetSeconds = Math.round((clock.now() - Date.now()) / 1000)
    await callNode(url, [{ method: 'evm_setTime', params: [toQuantity(systemSecond + offsetSeconds)] }])
    // The chain takes the difference to its own second, which must be the one we took.
    if (Math.floor(Date.now() / 1000) === systemSecond) break
  }
  await callNode(url, [{ method: 'evm_setIntervalMining', params: [blockSeconds, idleSeconds] }])
}
