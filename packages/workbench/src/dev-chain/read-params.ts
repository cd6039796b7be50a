import type { TimedCall } from './call-at-time.ts'
import { invalidParams } from './rpc-failure.ts'

/** Reads a whole number that is not negative, given as a number, as hex or as decimal text. Throws `RpcFailure`. */
export function readNumber(value: unknown): number {
  const isText = typeof value === 'string' && /^(0x[0-9a-f]+|\d+)$/i.test(value)
  const number = isText || typeof value === 'number' ? Number(value) : Number.NaN
  if (Number.isSafeInteger(number) && number >= 0) return number
  throw invalidParams(`${JSON.stringify(value)} is not a whole number from 0 on.`)
}

// The end of the year 9999. Sums of two times stay exact.
const secondMax = 253_402_300_799

/** Asserts that a time can be the one of a block, and the journal can hold it. Returns it. */
export function checkSecond(second: number): number {
  if (second <= secondMax) return second
  throw invalidParams(`Timestamp ${second} is after the year 9999.`)
}

/** Reads the parameters of `eth_call`. `time` is undefined without an override of the block's time. */
export function readCallParams([call, block, stateOverride, blockOverrides]: readonly unknown[]): Omit<
  TimedCall,
  'time'
> & {
  readonly time: number | undefined
} {
  const { time, ...others } = readObject(blockOverrides ?? {})
  if (Object.keys(others).length > 0) {
    throw invalidParams(`Of a block, only \`time\` can be overridden, not ${Object.keys(others).join(', ')}.`)
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
