import { setTimeout as delay } from 'node:timers/promises'
import { createMetrics, type Secret, systemTime, type Time } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import {
  addRemoteMetrics,
  createRemoteSubgraph,
  deadlineReached,
  type RemoteSubgraph,
  remoteMetricHelp,
  type SubgraphAnswer,
  type SubgraphQuery,
} from '@tallystick/gateway'
import pino from 'pino'
import { onTestFinished } from 'vitest'
import type { Config } from '../src/config/config.ts'

export const secretKey = '0123456789abcdef0123456789abcdef'
export const secretToken = 'token-that-nobody-may-see'

export type TestRemote = {
  readonly subgraph: RemoteSubgraph
  readonly log: () => string
  readonly metrics: () => string
  /** Queries with a deadline, as the gateway does. */
  ask(query?: Partial<SubgraphQuery>, timeoutMs?: number): Promise<SubgraphAnswer>
}

export function remoteQuery(query: Partial<SubgraphQuery> = {}): SubgraphQuery {
  return {
    text: 'query Positions { positionInfos { id } }',
    textWithHead: 'query Positions { positionInfos { id } head_1: _meta { block { number hash timestamp } } }',
    headAlias: 'head_1',
    variables: {},
    operationName: 'Positions',
    ...query,
  }
}

export type TestTime = Time & {
  /** Number of timers that wait. */
  readonly waiting: () => number
  /** Moves the time on and runs the timers that are due. */
  advance(ms: number): void
}

/** Creates a stopwatch and timers that stand still until the test advances them. The clock is real. */
export function createTestTime(): TestTime {
  let nowMs = 0
  const timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>()
  return {
    now: () => Date.now(),
    monotonic: () => nowMs,
    setTimer: ({ ms }, callback) => {
      const timer = { dueMs: nowMs + ms, callback }
      timers.add(timer)
      return { stop: () => void timers.delete(timer) }
    },
    waiting: () => timers.size,
    advance: (ms) => {
      nowMs += ms
      for (const timer of [...timers].sort((a, b) => a.dueMs - b.dueMs)) {
        if (timer.dueMs <= nowMs && timers.delete(timer)) timer.callback()
      }
    },
  }
}

/** Opens a remote subgraph of chain 324 and closes it after the test. Hedging and polling are off by default. */
export function openRemote(
  urls: readonly string[],
  {
    settings,
    headers = { authorization: { reveal: () => `Bearer ${secretToken}` } },
    ca,
    time = systemTime,
  }: {
    readonly settings?: Partial<Config['data']>
    readonly headers?: Readonly<Record<string, Secret>>
    readonly ca?: string | undefined
    readonly time?: Time | undefined
  } = {},
): TestRemote {
  const lines: string[] = []
  const metrics = createMetrics(remoteMetricHelp)
  const allSettings = {
    timeoutMs: 10_000,
    hedgeMs: null,
    pollMs: 0,
    maxLagSeconds: 300,
    answerBytesMax: 1_000_000,
    cacheBytesMax: 0,
    ...settings,
  }
  const subgraph = createRemoteSubgraph({
    chainId: 324,
    urls,
    headers,
    settings: allSettings,
    time,
    log: pino({ level: 'trace', base: null }, { write: (line: string) => lines.push(line) }),
    metrics,
    ca,
  })
  addRemoteMetrics(metrics, { subgraphs: [subgraph], time })
  onTestFinished(() => subgraph.close())
  return {
    subgraph,
    log: () => lines.join(''),
    metrics: () => metrics.expose(),
    ask: (query, timeoutMs = allSettings.timeoutMs) =>
      askWithin(subgraph, { query: remoteQuery(query), timeoutMs, time }),
  }
}

async function askWithin(
  subgraph: RemoteSubgraph,
  { query, timeoutMs, time }: { readonly query: SubgraphQuery; readonly timeoutMs: number; readonly time: Time },
): Promise<SubgraphAnswer> {
  const controller = new AbortController()
  const timer = time.setTimer({ name: 'deadline', ms: timeoutMs }, () => controller.abort(deadlineReached))
  try {
    return await subgraph.ask(query, controller.signal)
  } finally {
    timer.stop()
  }
}

/** Returns the error a promise is rejected with. */
export async function errorOf(promise: Promise<unknown>): Promise<TallystickError> {
  const nothing = Symbol('nothing was thrown')
  const error = await promise.then(
    () => nothing,
    (thrown) => thrown,
  )
  if (error === nothing) throw new Error('nothing was thrown')
  return error as TallystickError
}

/** Returns the number of timers and sockets that keep this process alive. */
export function activeResources(): number {
  return process.getActiveResourcesInfo().filter((name) => /^(Timeout|TCP|TLS|GetAddrInfo)/.test(name)).length
}

/** Waits until pending callbacks have run. */
export async function turn(): Promise<void> {
  await delay(0)
}

/** Returns the lines of a log that contain a text. */
export function linesOf(log: string, text: string): readonly string[] {
  return log.split('\n').filter((line) => line.includes(text))
}
