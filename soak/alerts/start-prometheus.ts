import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { findFreePort } from '@tallystick/workbench/free-port'
import { adminToken } from '../clients/admin.ts'
import { listAlerts, scaleRules } from './scale-rules.ts'

/** Time in which an alert fired, in Unix milliseconds. */
export type Firing = {
  readonly alert: string
  readonly instance: string
  readonly fromMs: number
  readonly toMs: number
}

export type Prometheus = {
  /** Alerts of the rule file. */
  readonly alerts: readonly string[]
  /** Returns the alerts that fire now. */
  firing(): Promise<ReadonlySet<string>>
  /** Returns when each alert fired since a time, by alert and replica. */
  history(sinceMs: number): Promise<readonly Firing[]>
  stop(): Promise<void>
}

const startMs = 30_000
const stepSeconds = 1

/** Starts a Prometheus with the rules of the kit, scaled to the time of the soak. Throws if there is none. */
export async function startPrometheus({
  directory: parent,
  targets,
  monitor,
}: {
  readonly directory: string
  /** Addresses of admin listeners by name. */
  readonly targets: Readonly<Record<string, string>>
  readonly monitor: string
}): Promise<Prometheus> {
  const directory = join(parent, 'prometheus')
  mkdirSync(directory)
  const rules = readFileSync(new URL('../../deploy/prometheus/alerts.yml', import.meta.url), 'utf8')
  writeFileSync(join(directory, 'alerts.yml'), scaleRules(rules))
  const scrapes = [
    {
      job_name: 'tallystick',
      authorization: { credentials: adminToken },
      static_configs: Object.entries(targets).map(([instance, target]) => ({
        targets: [target],
        labels: { instance },
      })),
    },
    { job_name: 'tallystick-monitor', static_configs: [{ targets: [monitor], labels: { instance: 'monitor' } }] },
  ]
  const global = { scrape_interval: '1s', scrape_timeout: '1s', evaluation_interval: '1s' }
  // JSON is YAML.
  const config = { global, rule_files: ['alerts.yml'], scrape_configs: scrapes }
  writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(config))
  const url = `http://127.0.0.1:${await findFreePort()}`
  const child = spawn(
    process.env['PROMETHEUS_PATH'] ?? 'prometheus',
    [
      `--config.file=${directory}/prometheus.yml`,
      `--storage.tsdb.path=${directory}/data`,
      `--web.listen-address=${url.slice('http://'.length)}`,
      '--log.level=warn',
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  const failed = once(child, 'error').then(([error]) => {
    throw new Error(`--alerts needs Prometheus on the PATH or in PROMETHEUS_PATH: ${(error as Error).message}`)
  })
  await Promise.race([failed, waitUntilReady(url)])
  failed.catch(() => undefined)
  const query = async (path: string) => {
    const answer = await fetch(`${url}/api/v1/${path}`)
    return ((await answer.json()) as { readonly data: unknown }).data
  }
  return {
    alerts: listAlerts(rules),
    firing: async () => {
      const { alerts } = (await query('alerts')) as { alerts: { state: string; labels: { alertname: string } }[] }
      return new Set(alerts.filter(({ state }) => state === 'firing').map(({ labels }) => labels.alertname))
    },
    history: async (sinceMs) => {
      const expression = 'max by (alertname, instance) (ALERTS{alertstate="firing"})'
      const range = { start: String(sinceMs / 1000), end: String(Date.now() / 1000), step: `${stepSeconds}s` }
      const { result } = (await query(`query_range?${new URLSearchParams({ query: expression, ...range })}`)) as {
        result: { metric: { alertname: string; instance?: string }; values: [number, string][] }[]
      }
      return result.flatMap(({ metric, values }) =>
        toSpans(values.map(([second]) => second)).map(([from, to]) => ({
          alert: metric.alertname,
          instance: metric.instance ?? '',
          fromMs: from * 1000,
          toMs: to * 1000,
        })),
      )
    },
    stop: async () => {
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function waitUntilReady(url: string): Promise<void> {
  const deadlineMs = Date.now() + startMs
  while (Date.now() < deadlineMs) {
    const answer = await fetch(`${url}/-/ready`).catch(() => undefined)
    if (answer?.ok) return
    await setTimeout(200)
  }
  throw new Error(`Prometheus is not ready after ${startMs / 1000} s.`)
}

/** Joins seconds that follow each other. */
export function toSpans(times: readonly number[]): [from: number, to: number][] {
  const spans: [number, number][] = []
  for (const time of times) {
    const last = spans.at(-1)
    if (last && time - last[1] <= 2 * stepSeconds) last[1] = time
    else spans.push([time, time])
  }
  return spans
}
