import { type MetricHelp, type Metrics, repeat, runOneAtATime, sleep, type Time } from '@tallystick/base'
import { auditedTransaction, type Database } from '@tallystick/database'
import { groupOfAddress } from '@tallystick/http'
import type { Logger } from 'pino'

export const failedTokenMetricHelp: MetricHelp = {
  tallystick_admin_failed_tokens_total: 'Requests to the admin listener whose token does not exist.',
}

/** Counts requests with a wrong admin token, and slows down the addresses that they come from. */
export type FailedTokens = {
  /** Counts a failure. Resolves when its response may be sent. */
  count(address: string): Promise<void>
  /** Records what was counted since the call before, one row per address. */
  record(): Promise<void>
}

export type FailedTokensOptions = {
  readonly metrics: Metrics
  /** Writes one row: the failures of an address. */
  readonly write: (address: string, failures: number) => Promise<void>
  readonly time: Time
}

// A person mistypes a token a few times. A valid token is never delayed.
const freeFailures = 5
const delayMs = 1_000
const forgetMs = 15 * 60_000
const addressesMax = 100
/** Addresses beyond the bound share one place. */
const others = 'other addresses'

type Known = { failures: number; unrecorded: number; lastMs: number }

/** Creates the counter. It knows at most 100 addresses, each IPv4 address or IPv6 /64, for 15 minutes. */
export function createFailedTokens({ metrics, write, time }: FailedTokensOptions): FailedTokens {
  const counter = metrics.counter('tallystick_admin_failed_tokens_total')
  const known = new Map<string, Known>()
  const forget = (nowMs: number) => {
    for (const [address, { unrecorded, lastMs }] of known) {
      if (unrecorded === 0 && nowMs - lastMs >= forgetMs) known.delete(address)
    }
  }
  return {
    count: async (address) => {
      counter.increment()
      const nowMs = time.monotonic()
      const group = groupOfAddress(address)
      if (!known.has(group) && known.size >= addressesMax) forget(nowMs)
      const place = known.has(group) || known.size < addressesMax ? group : others
      const before = known.get(place)
      const isFresh = before !== undefined && nowMs - before.lastMs < forgetMs
      const failures = (isFresh ? before.failures : 0) + 1
      known.set(place, { failures, unrecorded: (before?.unrecorded ?? 0) + 1, lastMs: nowMs })
      if (failures > freeFailures) await sleep(time, { name: 'wrong token', ms: delayMs })
    },
    // One at a time: two at once would write the same failures twice.
    record: runOneAtATime(async () => {
      for (const [address, entry] of known) {
        const { unrecorded } = entry
        if (unrecorded === 0) continue
        await write(address, unrecorded)
        const now = known.get(address)
        if (now) now.unrecorded -= unrecorded
      }
    }),
  }
}

const recordMs = 60_000

type StartOptions = Pick<FailedTokensOptions, 'metrics' | 'time'> & {
  readonly database: Database
  readonly log: Logger
}

/** Counts failures and records them in the audit log every minute. `stop` records the last ones. */
export function startFailedTokens(options: StartOptions): FailedTokens & { stop(): Promise<void> } {
  const { database, metrics, time, log } = options
  const write = (address: string, failures: number) =>
    auditedTransaction(database, { actor: 'unknown', log }, (_, record) =>
      record({ action: 'admin.token', subject: address, details: { failures } }),
    )
  const failedTokens = createFailedTokens({ metrics, write, time })
  // Failures that could not be written are written later.
  const record = () =>
    failedTokens.record().catch((error) => log.warn({ err: error }, 'failed admin tokens could not be recorded'))
  const timer = repeat(time, { name: 'failed tokens', ms: recordMs }, record)
  return {
    ...failedTokens,
    stop: async () => {
      timer.stop()
      await record()
    },
  }
}
