import { setTimeout } from 'node:timers/promises'
import { settleWithin, systemTime } from '@tallystick/base'
import { countOf } from '@tallystick/base/pure'
import { formatVerifierKey } from '@tallystick/tlog'
import { createMonitor, type Monitor } from './monitor.ts'
import type { MonitorEvent, MonitorOptions } from './monitor-context.ts'
import { createMonitorMetrics, serveMetrics } from './monitor-metrics.ts'
import { createState } from './monitor-state.ts'
import { loadState, saveState } from './state-file.ts'

export type StartMonitorOptions = Pick<MonitorOptions, 'url' | 'key' | 'rpcs' | 'pools'> & {
  readonly state?: string | undefined
  readonly once: boolean
  /** Seconds. */
  readonly interval: number
  readonly metrics?: { readonly host: string; readonly port: number } | undefined
  readonly json: boolean
  readonly stdout: NodeJS.WritableStream
}

export type RunningMonitor = {
  /** Whether all was well, once the monitor has ended. */
  readonly finished: Promise<boolean>
  /** Base URL of the metrics. */
  readonly metricsPort: number | undefined
  say(message: string): void
  /** Ends the monitor after the request that runs. */
  stop(): Promise<void>
}

/** Starts a monitor with its state file, output and metrics. Throws `TallystickError` if one of them is unusable. */
export async function startMonitor(options: StartMonitorOptions): Promise<RunningMonitor> {
  const { url, key, rpcs, pools, once } = options
  const keyText = formatVerifierKey(key)
  const { state: path } = options
  const state = path ? await loadState(path, keyText) : createState(keyText)
  // A file that cannot be written is found before anything is read.
  if (path) await saveState(path, state)
  const output = createLines(options)
  const controller = new AbortController()
  const { signal } = controller
  const monitor = createMonitor({
    url,
    key,
    rpcs,
    pools,
    state,
    say: output.say,
    save: createSave(path, output.flush),
    time: systemTime,
    pause: (ms) => pause(ms, signal),
    signal,
    repeatsFindings: once,
  })
  const server = options.metrics && (await serveMetrics(createMonitorMetrics(monitor.context), options.metrics))
  const finished = run(monitor, options, output).finally(async () => {
    server?.close()
    server?.closeAllConnections()
    await output.flush()
  })
  // `stop` and the command await it. Until then a rejection must not end the process.
  finished.catch(() => undefined)
  return {
    finished,
    metricsPort: (server?.address() as { readonly port: number } | undefined)?.port,
    say: (message) => output.say({ event: 'info', message }),
    stop: async () => {
      controller.abort()
      await finished
    },
  }
}

async function run(monitor: Monitor, { once, interval }: StartMonitorOptions, output: Lines) {
  if (!once) {
    await monitor.run(interval * 1_000)
    return true
  }
  const { findings, warnings } = await monitor.checkAll()
  const isWell = findings === 0 && warnings === 0
  const { entries, lends } = monitor.context.totals
  const hasNews = output.hasSaid() || entries > 0 || [...lends.values()].some((count) => count > 0)
  if (hasNews) output.say({ event: 'done', message: describeEnd(monitor, { findings, isWell }) })
  return isWell
}

function describeEnd(
  { context }: Monitor,
  { findings, isWell }: { readonly findings: number; readonly isWell: boolean },
): string {
  const { state, rpcs } = context
  const unread = (state.checkpoint?.size ?? 0) - state.checked
  const withheld = unread > 0 ? `, ${unread} more not public yet` : ''
  const chains = new Set([...rpcs.keys(), ...Object.keys(state.chains).map(Number)])
  const lends = [...chains].map((id) => `, ${describeLends(context, id)}`).join('')
  const verdict = isWell
    ? 'No findings'
    : findings > 0
      ? countOf(findings, 'finding')
      : 'Not everything could be checked'
  return `${verdict}: ${countOf(state.checked, 'entry', 'entries')}${withheld}${lends}.`
}

/** Says how many lends of a chain were checked, and which were not. */
function describeLends({ state, rpcs, totals }: Monitor['context'], id: number): string {
  const { scope, lendsBefore } = state.chains[id] ?? {}
  if (!rpcs.has(id)) return `lends on chain ${id} not checked (no --rpc)`
  if (!scope) return `lends on chain ${id} not checked`
  const waiting = totals.waiting.get(id) ?? 0
  return [
    `${countOf(totals.lends.get(id) ?? 0, 'new lend')} on chain ${id}`,
    ...(waiting > 0 ? [`${waiting} that cannot be checked yet`] : []),
    ...(lendsBefore && lendsBefore !== '0' ? [`${lendsBefore} from before the log that cannot be checked`] : []),
  ].join(', ')
}

type Lines = ReturnType<typeof createLines>

/** Creates the output: one line per event. With `once`, the first line waits for another one. `flush` waits until all lines are written, at most 1 s. */
function createLines({ stdout, json, once }: StartMonitorOptions) {
  let last: Promise<void> = Promise.resolve()
  let held: MonitorEvent | undefined
  let hasSaid = false
  return {
    say: (event: MonitorEvent) => {
      if (once && event.event === 'start') {
        held = event
        return
      }
      const lines = [...(held ? [held] : []), event].map((said) => `${formatEvent(said, json)}\n`)
      held = undefined
      hasSaid = true
      const written = new Promise<void>((resolve) => stdout.write(lines.join(''), () => resolve()))
      last = last.then(() => written)
    },
    hasSaid: () => hasSaid,
    flush: () => settleWithin(last, flushMs),
  }
}

const flushMs = 1_000

/** Formats an event as one line: for people, or as JSON. */
function formatEvent(event: MonitorEvent, json: boolean): string {
  const at = new Date(systemTime.now()).toISOString()
  if (json) return JSON.stringify({ at, ...event })
  const mark = event.event === 'finding' ? `FINDING ${event.kind}: ` : event.event === 'warning' ? 'WARNING ' : ''
  return `${at} ${mark}${event.message}`.replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, ' ')
}

/** Creates a function that saves a state if it changed, after the findings in it were printed. */
function createSave(path: string | undefined, flush: () => Promise<void>) {
  let saved = ''
  return async (state: Parameters<typeof saveState>[1]) => {
    if (!path) return
    const text = JSON.stringify(state)
    if (text === saved) return
    await flush()
    await saveState(path, state)
    saved = text
  }
}

/** Resolves after a time, or as soon as the signal aborts. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => undefined)
}
