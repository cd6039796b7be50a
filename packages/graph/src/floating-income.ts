import { BigInt, ethereum } from '@graphprotocol/graph-ts'
import { UpdateDailyFloatingIncome, UpdatePreviousFloatingIncome } from './generated/Pool/Pool'
import { FloatingIncome } from './generated/schema'
import { loadPool } from './load-pool'

export function handleDailyFloatingIncome(event: UpdateDailyFloatingIncome): void {
  const params = event.params
  report(event, params.updatedDay, [params.floatingIncome], [params.accFloatingIncome])
}

export function handlePreviousFloatingIncome(event: UpdatePreviousFloatingIncome): void {
  const params = event.params
  report(event, params.firstDay, params.floatingIncomes, params.accFloatingIncomes)
}

/** Stores the income of consecutive days. */
function report(event: ethereum.Event, reportedDay: BigInt, incomes: BigInt[], sums: BigInt[]): void {
  if (incomes.length != sums.length) refuse(event, `has ${incomes.length} incomes and ${sums.length} sums`)
  const count = incomes.length
  // The day after the last one must be a GraphQL Int too, because it is looked up.
  const isTooLate = reportedDay.plus(BigInt.fromI32(count)) > BigInt.fromI32(i32.MAX_VALUE)
  if (isTooLate) refuse(event, `reports day ${reportedDay.toString()}`)
  if (count == 0) return
  const firstDay = reportedDay.toI32()
  for (let index = 0; index < count; index++) {
    const stated = new FloatingIncome((firstDay + index).toString())
    stated.day = firstDay + index
    stated.floatingIncome = incomes[index]
    stated.accFloatingIncome = sums[index]
    stated.updatedAt = event.block.timestamp
    stated.save()
  }
  const lastDay = firstDay + count - 1
  changeNextDay(event, lastDay + 1, sums[count - 1])
  const pool = loadPool(event)
  pool.lastFloatingIncomeDay = max(pool.lastFloatingIncomeDay, lastDay)
  pool.save()
}

/** The pool does not carry a restatement forward: the next day keeps its sum, so its income changes. */
function changeNextDay(event: ethereum.Event, day: i32, sumBefore: BigInt): void {
  const next = FloatingIncome.load(day.toString())
  if (!next) return
  const floatingIncome = next.accFloatingIncome.minus(sumBefore)
  if (floatingIncome == next.floatingIncome) return
  next.floatingIncome = floatingIncome
  next.updatedAt = event.block.timestamp
  next.save()
}

function refuse(event: ethereum.Event, fault: string): void {
  const transaction = event.transaction.hash.toHexString()
  throw new Error(`Log ${event.logIndex.toString()} of transaction ${transaction} ${fault}.`)
}
