import { type Time, type Timer, toSeconds } from '@tallystick/base'
import { type ChainRates, periodAt } from '@tallystick/core'
import type { Database, Lock } from '@tallystick/database'
import type { PublishedNotes } from '@tallystick/issuer'
import type { Logger } from 'pino'
import { isRateWorse, isStatusWorse, parseState, type ReadState, toState, toStatusEvent } from './chain-state.ts'
import { deleteOldEvents, findLastEvent, type NewEvent, type StoredEvent } from './event-store.ts'
import { repeatWork } from './repeat-work.ts'

export type StateProducerOptions = {
  readonly database: Database
  readonly published: Pick<PublishedNotes, 'at'>
  /** Reads the rates of a chain from what the service has in its caches. Never throws. */
  readonly readRates: (chainId: number, nowMs: number) => Promise<ChainRates | undefined>
  /** Chains and the intervals at which each is read. */
  readonly intervalsMs: ReadonlyMap<number, number>
  readonly time: Time
  readonly append: (events: readonly NewEvent[]) => Promise<readonly StoredEvent[]>
  readonly log: Logger
}

const tickMs = 1_000
const cleanMs = 600_000
const cleanLimit = 1_000
// Reads in a row that must agree before a figure or a status is reported as lost.
const readsToConfirm = 3

type Watch = {
  /** Runs until the next read is due. */
  wait?: Timer | undefined
  periodStart?: bigint | undefined
  /** Last stored events. Undefined before they were read. */
  last?: { readonly rate: StoredEvent | undefined; readonly status: StoredEvent | undefined } | undefined
  rateDoubts: number
  statusDoubts: number
}

/**
 * Appends `rate` and `status` events when the state of a chain changes, and deletes old events. One replica at a time does
 * both.
 */
export function startStateProducer(options: StateProducerOptions): { readonly stop: () => Promise<void> } {
  const { database, time, log, intervalsMs } = options
  const watches = new Map<number, Watch>()
  let lock: Lock | undefined
  let cleanedAtMs = Number.NEGATIVE_INFINITY
  const work = async () => {
    if (lock?.lost.aborted) lock = undefined
    if (!lock) {
      lock = await database.tryLock('event producer')
      // Another replica may have appended events meanwhile.
      watches.clear()
    }
    if (!lock) return
    for (const chainId of intervalsMs.keys()) {
      const watch = watches.get(chainId) ?? { rateDoubts: 0, statusDoubts: 0 }
      watches.set(chainId, watch)
      await observe(options, { chainId, watch })
    }
    if (time.monotonic() - cleanedAtMs < cleanMs) return
    cleanedAtMs = time.monotonic()
    await deleteOldEvents(database, { nowSeconds: toSeconds(time.now()), limit: cleanLimit })
  }
  const { stop } = repeatWork({
    work: () =>
      work().catch((error) => {
        watches.clear()
        throw error
      }),
    time,
    name: 'state events',
    delayMs: () => tickMs,
    log,
    failure: 'appending rate and status events failed; retrying',
  })
  return {
    stop: async () => {
      await stop()
      await lock?.release()
    },
  }
}

/** Reads the state of a chain if it is due, or a period has begun, and appends its changes. */
async function observe(
  options: StateProducerOptions,
  { chainId, watch }: { readonly chainId: number; readonly watch: Watch },
): Promise<void> {
  const { database, published, time, intervalsMs, readRates, append } = options
  const nowMs = time.now()
  const served = published.at(nowMs)
  const periodStart = served ? periodAt(toSeconds(nowMs)).start : watch.periodStart
  if (watch.wait && periodStart === watch.periodStart) return
  watch.wait?.stop()
  watch.wait = time.setTimer({ name: 'state of a chain', ms: intervalsMs.get(chainId) ?? 0 }, () => {
    watch.wait = undefined
  })
  watch.periodStart = periodStart
  const rates = await readRates(chainId, nowMs)
  if (!rates) return
  watch.last ??= {
    rate: await findLastEvent(database, { type: 'rate', chainId }),
    status: await findLastEvent(database, { type: 'status', chainId }),
  }
  const before = parseState({ rate: watch.last.rate?.data, status: watch.last.status?.data })
  const signer = served?.sets.get(chainId)?.signer ?? before.status?.signer ?? null
  const state = toState(rates, { tenors: served?.tenors(chainId) ?? [], signer })
  const events = listChanges({ chainId, watch, before, state, createdAt: toSeconds(nowMs) })
  if (events.length === 0) return
  await append(events)
  // Read again before the next comparison: another replica may have been faster.
  watch.last = undefined
}

type ObservedState = {
  readonly chainId: number
  readonly watch: Watch
  readonly before: ReturnType<typeof parseState>
  readonly state: ReadState
  readonly createdAt: bigint
}

/** Lists the events of a state that differs from the last events. Only the first successor of an event is stored. */
function listChanges({ chainId, watch, before, state, createdAt }: ObservedState): NewEvent[] {
  const rate = JSON.stringify(state.rate)
  const status = toStatusEvent(before.status, state)
  const isRateDoubtful = isRateWorse(before.rate, state) && ++watch.rateDoubts < readsToConfirm
  const isStatusDoubtful = isStatusWorse(before.status, state) && ++watch.statusDoubts < readsToConfirm
  if (!isRateDoubtful) watch.rateDoubts = 0
  if (!isStatusDoubtful) watch.statusDoubts = 0
  const keyOf = (type: 'rate' | 'status') => `${type}:${chainId}:${watch.last?.[type]?.id ?? 0}`
  const events: NewEvent[] = []
  if (rate !== watch.last?.rate?.data && !isRateDoubtful) {
    events.push({ type: 'rate', chainId, data: rate, createdAt, dedupeKey: keyOf('rate') })
  }
  if (status && !isStatusDoubtful) {
    events.push({ type: 'status', chainId, data: JSON.stringify(status), createdAt, dedupeKey: keyOf('status') })
  }
  return events
}
