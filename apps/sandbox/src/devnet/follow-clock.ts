import { setTimeout } from 'node:timers/promises'
import type { Clock, ShiftableClock } from '@tallystick/api'
import { callNode, toQuantity } from '../call-node.ts'

const blockSeconds = 1

/** Brings a chain to the clock's second, which it returns, and leaves it there: no block is mined until it follows. */
export async function standAtClock(url: string, clock: Clock): Promise<bigint> {
  await callNode(url, [{ method: 'evm_setAutomine', params: [false] }])
  const second = BigInt(Math.floor(clock.now() / 1000))
  const [head] = await callNode(url, [{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  if (BigInt((head as { timestamp: string }).timestamp) >= second) return second
  // A node that has read its chain from a file believes itself at the system's time all the same, and would not go back.
  await callNode(url, [{ method: 'evm_setTime', params: [toQuantity(second)] }])
  await callNode(url, [{ method: 'evm_setNextBlockTimestamp', params: [toQuantity(second)] }])
  await callNode(url, [{ method: 'evm_mine', params: [] }])
  return second
}

/**
 * Lets a clock run that was held. The node counts in whole seconds of the system's time, so this waits for the moment, less
 * than a second away, from which on both clocks turn their seconds together.
 */
export async function runInStep(clock: ShiftableClock): Promise<void> {
  await setTimeout((((clock.now() - Date.now()) % 1000) + 1000) % 1000)
  clock.run()
}

/** From now on the chain has a block every second, each with the clock's second at which it was mined. */
export async function followClock(url: string, clock: Clock): Promise<void> {
  for (;;) {
    const systemSecond = Math.floor(Date.now() / 1000)
    const offsetSeconds = Math.round((clock.now() - Date.now()) / 1000)
    await callNode(url, [{ method: 'evm_setTime', params: [toQuantity(systemSecond + offsetSeconds)] }])
    // The node takes the difference to its own second, which must be the one we took.
    if (Math.floor(Date.now() / 1000) === systemSecond) break
  }
  await callNode(url, [{ method: 'evm_setIntervalMining', params: [blockSeconds] }])
}
