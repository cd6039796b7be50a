import type { PoolReader } from '@tallystick/chain'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { DataParts } from '../data/data-route.ts'
import type { PublishedNotes } from '../notes/published-notes.ts'
import type { PoolWatch } from '../notes/watch/watch-pools.ts'
import { createPoolStates, type ReadPool } from './pool-states.ts'
import { createReadFloatingIncome } from './read-floating-income.ts'
import type { RateParts } from './route.ts'

/** What `/rate` is made of: the notes on offer, the floating income as `/data` has it, and the pools themselves. */
export function openRate(
  config: Pick<Config, 'data'>,
  {
    published,
    data,
    pools,
    poolWatch,
    log,
    monotonicNow,
  }: {
    readonly published: PublishedNotes
    readonly data: DataParts
    /** Those that can be read. */
    readonly pools: ReadonlyMap<number, PoolReader>
    readonly poolWatch: Pick<PoolWatch, 'find'>
    readonly log: Logger
    readonly monotonicNow: () => number
  },
): RateParts {
  const poolStates = createPoolStates(new Map([...pools].map(([id, reader]) => [id, readPoolWith(reader)])), {
    maxAgeMs: config.data.pollMs,
    monotonicNow,
    onError: (chain, error) =>
      log.warn({ chain, err: error }, 'the pool cannot be read; /rate tells what it knew last'),
  })
  return {
    published,
    readFloatingIncome: createReadFloatingIncome(data),
    poolStates,
    poolWatch,
  }
}

/** Undefined where the contract has no such getters. */
function readPoolWith(reader: PoolReader): ReadPool {
  return async (signal) => {
    const { paused, lastFloatingIncomeUpdateDay: lastDay } = await reader.read(
      ['paused', 'lastFloatingIncomeUpdateDay'],
      signal,
    )
    if (paused === undefined || lastDay === undefined) return undefined
    return { isPaused: paused, lastFloatingDay: Number(lastDay) }
  }
}
