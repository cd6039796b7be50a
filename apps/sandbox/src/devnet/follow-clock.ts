import { setTimeout } from 'node:timers/promises'
import type { Clock, ShiftableTime } from '@tallystick/base'
import { callNode, readHead, toQuantity } from '@tallystick/workbench/dev-chain/call-node'

const blockSeconds = 1

/** Mines a block at the clock's second and returns that second. The chain mines no more until it follows the clock. */
export async function moveChainToClock(url: string, clock: Clock): Promise<bigint> {
  await callNode(url, [{ method: 'evm_setAutomine', params: [false] }])
  const second = BigInt(Math.floor(clock.now() / 1000))
  if (BigInt((await readHead(url)).timestamp) >= second) return second
  await callNode(url, [{ method: 'evm_mine', params: [toQuantity(second)] }])
  return second
}

/**
 * Resumes a held clock. The chain counts whole seconds of system time, so this first waits, less than 1 s, until the seconds
 * of both clocks start at the same moment.
 */
export async function runClockAligned(clock: ShiftableTime): Promise<void> {
  await setTimeout(positiveRest(clock.now() - Date.now()))
  // A timer is late by some milliseconds, which the clock skips.
  clock.hold(clock.now() + positiveRest(Date.now() - clock.now()))
  clock.run()
}

/** Returns the milliseconds beyond a whole second, from 0 to 999. */
function positiveRest(milliseconds: number): number {
  return ((milliseconds % 1000) + 1000) % 1000
}

/**
 * Makes the chain follow the clock. A transaction is mined within 1 s, with the clock's time. An empty block is mined when
 * the newest one is `idleSeconds` old, by default every second.
 */
export async function followClock(
  url: string,
  { clock, idleSeconds = blockSeconds }: { readonly clock: Clock; readonly idleSeconds?: number | undefined },
): Promise<void> {
  for (;;) {
    const systemSecond = Math.floor(Date.now() / 1000)
    const offsetSeconds = Math.round((clock.now() - Date.now()) / 1000)
    await callNode(url, [{ method: 'evm_setTime', params: [toQuantity(systemSecond + offsetSeconds)] }])
    // The chain computes an offset from its own second, which must be the same as ours.
    if (Math.floor(Date.now() / 1000) === systemSecond) break
  }
  await callNode(url, [{ method: 'evm_setIntervalMining', params: [blockSeconds, idleSeconds] }])
}
