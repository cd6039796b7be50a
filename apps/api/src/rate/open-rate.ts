import type { Logger } from 'pino'
import { createPoolReader, type PoolReader } from '../chain/pool-reader.ts'
import type { Config } from '../config.ts'
import type { DataParts } from '../data/data-route.ts'
import type { Published } from '../notes/published.ts'
import { createPoolStates, type ReadPool } from './pool-states.ts'
import { createReadFloatingIncome } from './read-floating-income.ts'
import type { RateParts } from './route.ts'

/** What `/rate` is made of: the notes on offer, the floating income as `/data` has it, and the pools themselves. */
export function openRate(
  config: Pick<Config, 'chains' | 'data'>,
  {
    published,
    data,
    log,
    monotonicNow,
  }: {
    readonly published: Published
    readonly data: DataParts
    readonly log: Logger
    readonly monotonicNow: () => number
  },
): RateParts & { close(): void } {
  const readers = config.chains.filter(({ rpc }) => rpc.length > 0).map((chain) => createPoolReader({ chain }))
  const poolStates = createPoolStates(new Map(readers.map((reader) => [reader.chainId, readPoolWith(reader)])), {
    maxAgeMs: config.data.pollMs,
    monotonicNow,
    onError: (chain, error) =>
      log.warn({ chain, err: error }, 'the pool cannot be read; /rate tells what it knew last'),
  })
  return {
    published,
    readFloatingIncome: createReadFloatingIncome(data),
    poolStates,
    close: () => {
      for (const reader of readers) reader.close()
    },
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
