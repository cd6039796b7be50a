// @module-tag postgres

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { decodeNote } from '@tallystick/core'
import { openDatabase } from '@tallystick/database'
import { createOperator, loadConfig, openServiceDatabase } from '@tallystick/service'
import { sendRequest } from '@tallystick/workbench/send-request'
import { shortRunFlags } from '@tallystick/workbench/short-run-flags'
import { expect, onTestFinished, test } from 'vitest'
import { coupons, newDatabase, notesOf } from '../../../packages/service/test/harness.ts'
import { prepareSite, type Site } from './process.ts'

const aheadServer = fileURLToPath(new URL('../../../bench/servers/ahead-server.js', import.meta.url))
const boundary = Date.parse('2026-11-15T18:00:00-05:00')

type Replica = { readonly site: Site; readonly baseUrl: string; readonly child: ChildProcess }

/** Starts the built service in a process whose clock is ahead of this machine's. Resolves when it is ready. */
async function startAhead(site: Site, aheadMs: number): Promise<Replica> {
  const argv = [...shortRunFlags, aheadServer, String(aheadMs), site.configPath]
  const env = { PATH: process.env['PATH'], ...site.env }
  const child = spawn(process.execPath, argv, { cwd: site.directory, env, stdio: ['ignore', 'pipe', 'inherit'] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const ended = once(child, 'close').then(([code]) => Promise.reject(new Error(`The replica ended with ${code}.`)))
  ended.catch(() => undefined)
  const ready = new Promise<string>((resolve) => {
    createInterface(child.stdout).on('line', (line) => line.startsWith('ready ') && resolve(line.slice(6)))
  })
  return { site, child, baseUrl: await Promise.race([ready, ended]) }
}

/** Starts both replicas before the boundary. A busy machine that needs longer for it gets twice the time. */
async function startBefore(sites: readonly Site[], leadMs: number): Promise<{ replicas: Replica[]; aheadMs: number }> {
  const aheadMs = boundary - leadMs - Date.now()
  const replicas = await Promise.all(sites.map((site) => startAhead(site, aheadMs)))
  if (Date.now() + aheadMs < boundary - 500) return { replicas, aheadMs }
  for (const { child } of replicas) {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
  return startBefore(sites, 2 * leadMs)
}

test('default: two processes on one PostgreSQL cross a boundary, with valid notes and the same bytes', async () => {
  const databaseUrl = await newDatabase()
  const sites = [await prepareSite({ databaseUrl }), await prepareSite({ databaseUrl })] as const
  const config = loadConfig(sites[0].configPath, { env: sites[0].env, secrets: 'required' })
  const shared = await openServiceDatabase(databaseUrl, () => undefined)
  const operator = createOperator({ database: shared, config, clock: { now: () => boundary - 3_600_000 } })
  await operator.setCurve({ points: coupons })
  const { secret } = await operator.createKey({ name: 'journey', rpm: 1_000_000 })
  await shared.close()

  const { replicas, aheadMs } = await startBefore(sites, 6_000)
  const bodies = { before: new Set<string>(), after: new Set<string>() }
  const watch = async ({ baseUrl, site }: Replica) => {
    let after = 0
    while (after < 5) {
      const answer = await sendRequest(`${baseUrl}/notes`, { headers: { 'x-api-key': secret }, ca: site.ca })
      expect(answer.status).toBe(200)
      const servedAt = Date.parse(String(answer.headers.date))
      for (const wire of notesOf(answer).data) {
        const note = decodeNote(wire)
        expect(note.validAfter < BigInt(servedAt / 1000) && BigInt(servedAt / 1000) < note.validBefore).toBe(true)
      }
      if (servedAt >= boundary) after++
      bodies[servedAt < boundary ? 'before' : 'after'].add(answer.body)
    }
  }
  await Promise.all(replicas.map(watch))
  expect(Date.now() + aheadMs).toBeGreaterThanOrEqual(boundary)
  expect([bodies.before.size, bodies.after.size]).toEqual([1, 1])

  const database = await openDatabase(databaseUrl)
  onTestFinished(() => database.close())
  const counted =
    'select count(*)::int as rows, count(distinct (chain_id, period_start, maturity))::int as notes from notes'
  expect(await database.query(counted)).toEqual([{ rows: 6, notes: 6 }])
  for (const { child } of replicas) child.kill('SIGTERM')
})
