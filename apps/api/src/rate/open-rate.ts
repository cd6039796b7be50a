import type { PoolReader } from '@tallystick/chain'
import type { Logger } from 'pino'
import type { Config } from '../config.ts'
import type { DataParts } from '../data/data-route.ts'
import type { PublishedNotes } from '../notes/published-notes.ts'
import type { PoolWatch } from '../notes/watch/watch-pools.ts'
import { createPoolStates, type ReadPool } from './pool-states.ts'
import { createReadFloatingIncome } from './read-floating-income.ts'
import type { RateParts } from './route.ts'

/** Creates the parts of `/rate`: published notes, floating income from the subgraphs, and pool states. */
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
    /** Readers by chain, for chains with an RPC. */
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
      log.warn({ chain, err: error }, 'pool read failed; /rate falls back to the last known state'),
  })
  return {
    published,
    readFloatingIncome: createReadFloatingIncome(data),
    poolStates,
    poolWatch,
  }
}

/** Returns a function that reads a pool. It returns undefined if the contract lacks these getters. */
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
