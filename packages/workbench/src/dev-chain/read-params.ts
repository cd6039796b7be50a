import type { TimedCall } from './call-at-time.ts'
import { invalidParams } from './rpc-failure.ts'

/** Reads a non-negative integer from a number, hex or decimal text. Throws `RpcFailure`. */
export function readNumber(value: unknown): number {
  const isText = typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value)
  const number = isText || typeof value === 'number' ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw invalidParams(`${JSON.stringify(value)} is not a non-negative integer.`)
}

// The end of the year 9999. Sums of two times stay exact.
const secondMax = 253_402_300_799

/** Returns a block time. Throws `RpcFailure` if it is out of range. */
export function checkSecond(second: number): number {
  if (second <= secondMax) return second
  throw invalidParams(`Timestamp ${second} is after the year 9999.`)
}

/** Reads the parameters of `eth_call`. `time` is undefined without an override of the block's time. */
export function readCallParams([call, block, stateOverride, blockOverrides]: readonly unknown[]) {
  const { time, ...others } = readObject(blockOverrides ?? {})
  if (Object.keys(others).length > 0) {
    throw invalidParams(`Only \`time\` of a block can be overridden, not ${Object.keys(others).join(', ')}.`)
  }
  return {
    call: readObject(call),
    block: block ?? 'latest',
    stateOverride: readObject(stateOverride ?? {}) as TimedCall['stateOverride'],
    time: time === undefined ? undefined : checkSecond(readNumber(time)),
  }
}

function readObject(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw invalidParams(`${JSON.stringify(value) ?? 'nothing'} is not an object.`)
}
