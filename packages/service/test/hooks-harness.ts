import { createMetrics, type Metrics, type ShiftableTime, toSeconds } from '@tallystick/base'
import { type Database, openDatabase } from '@tallystick/database'
import {
  appendEvents,
  createAddressPolicy,
  createSender,
  hookMetricHelp,
  type NewEvent,
  type RunningHooks,
  type Sender,
  type StoredEvent,
  startHookDelivery,
} from '@tallystick/notify'
import type { DatabaseEngine } from '@tallystick/workbench/test-database'
import pino from 'pino'
import { onTestFinished } from 'vitest'
import { atMost, createTestTime } from '../../base/test/test-time.ts'
import { createHookOperator, type HookOperator } from '../src/admin/operate-hooks.ts'
import { newDatabase } from './harness.ts'
import { receiverCa } from './hook-receiver.ts'

export type HookWorld = {
  readonly databaseUrl: string
  readonly database: Database
  readonly clock: ShiftableTime
  readonly metrics: Metrics
  readonly operator: HookOperator
  readonly sender: Sender
  readonly log: () => string
  /** Starts a replica that delivers. */
  startReplica(database?: Database): Promise<RunningHooks>
  append(...events: readonly Partial<NewEvent>[]): Promise<StoredEvent[]>
}

export const noon = '2026-11-15T12:00:00-05:00'
const config = { hooks: { allowPrivate: ['127.0.0.0/8'] }, chains: [{ id: 324 }, { id: 10 }] }

/** Creates a database and the parts that deliver its events, with a clock that the test moves. */
export async function createHookWorld(engine: DatabaseEngine = 'postgres'): Promise<HookWorld> {
  const databaseUrl = await newDatabase(engine)
  const database = await openDatabase(databaseUrl)
  onTestFinished(() => database.close())
  const clock = createTestTime({ waits: { webhooks: atMost(20) } })
  clock.hold(Date.parse(noon))
  const lines: string[] = []
  const log = pino({ level: 'trace', base: null }, { write: (line: string) => lines.push(line) })
  const metrics = createMetrics(hookMetricHelp)
  const policy = createAddressPolicy(config.hooks)
  const sender = createSender({ policy, ca: receiverCa, resolve: async () => ['127.0.0.1'], timeoutMs: 5_000 })
  const auditor = { actor: 'test', log }
  return {
    ...{ databaseUrl, database, clock, metrics, sender, log: () => lines.join('') },
    operator: createHookOperator({ database, config: config as never, clock, auditor, sender }),
    startReplica: async (own = database) => {
      const common = { database: own, time: clock, metrics, log, sender, random: () => 0.999 }
      const replica = await startHookDelivery({ ...common, stopGraceMs: 200 })
      onTestFinished(() => replica.stop())
      return replica
    },
    append: (...events) =>
      appendEvents(
        database,
        events.map((event) => ({
          ...{ type: 'notes', chainId: 324, data: '{}', createdAt: toSeconds(clock.now()), ...event },
        })),
      ),
  }
}
