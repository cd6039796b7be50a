import { callContracts, type RpcEndpoint } from '@tallystick/chain'
import type { FloatingIncome } from '../entities.ts'
import type { Difference } from './difference.ts'
import { encodeWord, integerAt } from './words.ts'

export type IncomesToCompare = {
  /** Address of the pool. */
  readonly pool: `0x${string}`
  /** Block that the index is at. */
  readonly block: number
  readonly incomes: readonly Pick<FloatingIncome, 'day' | 'floatingIncome' | 'accFloatingIncome'>[]
  /** Days that the index lacks. The pool must not have reported them. */
  readonly absent?: readonly number[] | undefined
}

const accFloatingIncome = '0x01a5fa62'

/** Compares days of floating income with the pool. */
export async function compareIncomes(
  endpoint: Pick<RpcEndpoint, 'callMany'>,
  { pool, block, incomes, absent = [] }: IncomesToCompare,
): Promise<readonly Difference[]> {
  const wanted = new Set([...incomes.flatMap(({ day }) => [day - 1, day]), ...absent])
  const days = [...wanted].filter((day) => day >= 0)
  const calls = days.map((day) => ({ to: pool, data: encodeWord(accFloatingIncome, BigInt(day)), block }))
  const results = await callContracts(endpoint, calls)
  const sums = new Map(days.map((day, index) => [day, toSum(results[index])]))
  const missing = absent.filter((day) => (sums.get(day) ?? 0n) > 0n)
  const different = incomes.flatMap(({ day, floatingIncome, accFloatingIncome: acc }) => {
    const sum = sums.get(day) ?? 0n
    if (String(sum) !== acc) {
      const message = `Day ${day} has the accFloatingIncome ${acc} in the index and ${sum} on the chain.`
      return [{ id: String(day), message }]
    }
    const income = sum - (sums.get(day - 1) ?? 0n)
    if (String(income) === floatingIncome) return []
    const message = `Day ${day} has the floatingIncome ${floatingIncome} in the index and ${income} on the chain.`
    return [{ id: String(day), message }]
  })
  return [
    ...missing.map((day) => ({
      id: String(day),
      message: `Day ${day} is reported on the chain and missing in the index.`,
    })),
    ...different,
  ]
}

function toSum(result: `0x${string}` | undefined): bigint {
  return result === undefined ? 0n : integerAt(result, 0)
}
