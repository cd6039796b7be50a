import { setTimeout } from 'node:timers/promises'
import type { EnvironmentOptions, SoakEnvironment } from '../environment/environment.ts'
import type { InjectedFault } from '../faults/fault.ts'
import { type Injection, injections } from './injections.ts'
import { type AlertReport, type AlertSpan, reportAlert } from './report-alert.ts'
import { type Stage, startStage } from './stage.ts'
import { type Prometheus, startPrometheus } from './start-prometheus.ts'

export type AlertWatch = {
  /** Runs the injections of the stage one after the other. */
  run(): Promise<void>
  /**
   * Ends all processes, which is the last injection, and compares what fired with the faults. `startedAtMs` is when the
   * load started, in Unix milliseconds.
   */
  finish(faults: readonly InjectedFault[], startedAtMs: number): Promise<readonly AlertReport[]>
}

// The service reads pools every 15 s and rows every minute.
const injectionMs = 75_000
const settleMs = 2_000

export async function startAlertWatch(
  environment: Pick<SoakEnvironment, 'authority' | 'replicas' | 'indexer'>,
  options: Pick<EnvironmentOptions, 'directory' | 'defer' | 'onCrash' | 'say'> & { readonly isStopped: () => boolean },
): Promise<AlertWatch> {
  const stage = await startStage(environment, options)
  const { replicas, indexer } = environment
  const processes = [replicas.a, replicas.b, indexer, stage.service]
  const targets = Object.fromEntries(processes.map(({ name, adminUrl }) => [name, new URL(adminUrl).host]))
  const prometheus = await startPrometheus({ directory: options.directory, targets, monitor: stage.monitorAddress })
  options.defer(() => prometheus.stop())
  options.say('the stage of the alerts and Prometheus are ready')
  const injected: AlertSpan[] = []
  return {
    run: async () => {
      for (const injection of injections) {
        if (options.isStopped()) return
        injected.push(await runInjection(injection, { stage, prometheus, ...options }))
      }
    },
    finish: async (faults, startedAtMs) => {
      const down = {
        name: 'all replicas stopped',
        alerts: ['TallystickAllReplicasDown'],
        begin: async () => {
          await Promise.all(processes.map((one) => one.end('SIGTERM')))
          return () => undefined
        },
      }
      const span = await runInjection(down, { stage, prometheus, ...options })
      // The alert is of no instance.
      injected.push({ ...span, instances: [''] })
      // The samples of its last evaluation.
      await setTimeout(settleMs)
      const spans = [...injected, ...faults.map((fault) => toSpan(fault, startedAtMs))]
      const firings = await prometheus.history(startedAtMs)
      return prometheus.alerts.map((alert) => reportAlert(alert, { firings, spans }))
    },
  }
}

async function runInjection(
  { name, alerts, begin }: Injection,
  context: {
    readonly stage: Stage
    readonly prometheus: Prometheus
    readonly say: (line: string) => void
    readonly isStopped: () => boolean
  },
): Promise<AlertSpan> {
  const { stage, prometheus, say, isStopped } = context
  const fromMs = Date.now()
  const waiting = new Set(alerts)
  try {
    const end = await begin(stage)
    const deadlineMs = Date.now() + injectionMs
    while (waiting.size > 0 && Date.now() < deadlineMs && !isStopped()) {
      for (const alert of await prometheus.firing()) waiting.delete(alert)
      await setTimeout(500)
    }
    await end()
  } catch (error) {
    say(`alerts: ${name} could not be injected: ${(error as Error).message}`)
  }
  const verdict = waiting.size === 0 ? `fired ${alerts.join(', ')}` : `NOT FIRED: ${[...waiting].join(', ')}`
  say(`alerts: ${name}: ${verdict} (${((Date.now() - fromMs) / 1000).toFixed(0)} s)`)
  return { name, instances: ['stage', 'monitor'], fromMs, toMs: Date.now() }
}

function toSpan({ kind, replicas, startedMs, endedMs, skipped }: InjectedFault, startedAtMs: number): AlertSpan {
  const toMs = skipped === undefined ? (endedMs ?? startedMs) : startedMs
  return {
    name: kind,
    instances: [...replicas, 'indexer', ''],
    fromMs: startedAtMs + startedMs,
    toMs: startedAtMs + toMs,
  }
}
