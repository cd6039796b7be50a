import { createRandom } from '@tallystick/workbench/random'
import { daySeconds, type History, historyDays, type PauseStep, type Step } from './history.ts'
import { planIncomes } from './plan-incomes.ts'
import { planPositions } from './plan-positions.ts'

export type PlanOptions = {
  /** End of the history, in Unix seconds. */
  readonly nowSeconds: bigint
  readonly positionCount: number
  /** 324 by default. Each chain has a different history. */
  readonly chainId?: number | undefined
}

/** Plans the 60 days before an instant. The same options result in the same history. */
export function planHistory({ nowSeconds, positionCount, chainId = 324 }: PlanOptions): History {
  const firstDay = nowSeconds / daySeconds - BigInt(historyDays)
  const startsAt = firstDay * daySeconds
  const pause = { from: startsAt + 23n * daySeconds + 36_003n, to: startsAt + 23n * daySeconds + 38_823n }
  const pauses: PauseStep[] = [
    { kind: 'pause', at: pause.from },
    { kind: 'unpause', at: pause.to },
  ]
  const random = createRandom(chainId)
  const positions = planPositions(random, { startsAt, nowSeconds, positionCount, pause })
  return { startsAt, steps: sortSteps([...planIncomes({ firstDay, nowSeconds }), ...pauses, ...positions]) }
}

function sortSteps(steps: readonly Step[]): Step[] {
  const sorted = steps.toSorted((a, b) => Number(a.at - b.at))
  let last = 0n
  return sorted.map((step) => {
    last = step.at > last ? step.at : last + 1n
    return { ...step, at: last }
  })
}
