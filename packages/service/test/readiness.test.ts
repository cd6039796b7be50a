// @module-tag postgres

import { createTime } from '@tallystick/base'
import type { Finding } from '@tallystick/core'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { type DatabaseProxy, startDatabaseProxy } from './database-proxy.ts'
import { chain324, createDeferrals, createKey, newDatabase, start, type TestService } from './harness.ts'

const boundaryMs = Date.parse('2026-11-15T18:00:00-05:00')
const midnightMs = Date.parse('2026-11-16T00:00:00-05:00')
const other = { id: 10, name: 'Other', pool: '0x0000000000000000000000000000000000000abc' }

describe('the database behind a proxy', () => {
  const { defer, finish } = createDeferrals()
  const databaseClock = createTime()
  let proxy: DatabaseProxy
  let service: TestService
  let headers: Readonly<Record<string, string>>

  beforeAll(async () => {
    proxy = await startDatabaseProxy(await newDatabase('postgres', defer), defer)
    databaseClock.hold(boundaryMs - 300_000)
    const at = new Date(boundaryMs - 300_000).toISOString()
    const setting = { databaseUrl: proxy.url, at, databaseClock, config: { chains: [chain324, other] } }
    service = await start(setting, defer)
    headers = { 'x-api-key': (await createKey(service)).secret }
    await vi.waitFor(async () => {
      for (const id of [10, 324]) expect(await metrics()).toContain(`tallystick_next_period_signed{chain="${id}"} 1`)
    }, waitOptions)
    return finish
  })

  beforeEach(async () => {
    setClocks(boundaryMs - 300_000)
    proxy.setStalled(false)
    proxy.setAway(false)
    const healthy = { status: 200, degraded: false, reasons: [] }
    await vi.waitFor(async () => expect(await readyz()).toMatchObject(healthy), waitOptions)
  })

  const setClocks = (localMs: number, trueMs = localMs) => {
    service.clock.hold(localMs)
    databaseClock.hold(trueMs)
  }
  const readyz = async () => {
    const { status, json } = await service.admin('/readyz')
    return { status, ...json() }
  }
  const metrics = async () => (await service.admin('/metrics')).body
  /** Returns the status of `/notes` and of `/readyz`. */
  const statuses = async () => {
    const notes = await service.call('/notes', { headers })
    return [notes.status, (await readyz()).status]
  }
  const isDegraded = {
    status: 200,
    ready: true,
    degraded: true,
    reasons: [expect.stringMatching(/^PostgreSQL .*: no/)],
  }

  test('behavior: a database that stalls delays no probe, and the replica stays in the balancer', async () => {
    proxy.setStalled(true)
    // Waits for the database until it times out.
    const keys = service.admin('/keys').then(() => 'keys')
    for (let probes = 0; probes < 3; probes++) {
      expect(await Promise.race([keys, readyz().then(({ status }) => status)])).toBe(200)
    }
    await expect.poll(readyz).toMatchObject(isDegraded)
    expect(await statuses()).toEqual([200, 200])
    expect((await metrics()).split('\n')).toEqual(
      expect.arrayContaining(['tallystick_database_unavailable 1', 'tallystick_ready 1']),
    )
    proxy.setStalled(false)
    await keys
    await expect.poll(metrics).toContain('tallystick_database_unavailable 0')
  })

  test('behavior: /healthz, /status and the metrics report it, with what to do', async () => {
    proxy.setAway(true)
    await expect.poll(readyz).toMatchObject(isDegraded)
    const findings = [{ severity: 'fail', remedy: expect.stringContaining('Notes in memory are still served') }]
    const report = { ready: true, degraded: true, findings }
    const health = (await service.admin('/healthz')).json()
    const wrong = health.findings.filter(({ severity }: Finding) => severity !== 'ok')
    expect({ ...health, findings: wrong }).toMatchObject({ ...report, status: 'ok' })
    expect(health.findings.length).toBeGreaterThan(wrong.length)
    expect((await service.admin('/status')).json()).toMatchObject(report)
    expect(await metrics()).toContain('tallystick_database_unavailable 1')
  })

  test('behavior: across a boundary without it, a replica is ready as long as it has notes', async () => {
    proxy.setAway(true)
    await expect.poll(readyz).toMatchObject(isDegraded)
    setClocks(boundaryMs - 1)
    expect(await statuses()).toEqual([200, 200])
    setClocks(boundaryMs)
    expect(await statuses()).toEqual([200, 200])
    setClocks(midnightMs - 1)
    expect(await statuses()).toEqual([200, 200])
    setClocks(midnightMs)
    expect(await statuses()).toEqual([500, 503])
    expect(await metrics()).toContain('tallystick_ready 0')
    expect(await readyz()).toMatchObject({
      ready: false,
      degraded: false,
      reasons: [expect.stringContaining('notes of chain 324'), expect.stringContaining('notes of chain 10')],
    })
  })

  test('error: disputed clocks end readiness also without the database, exactly as they end /notes', async () => {
    proxy.setAway(true)
    await expect.poll(readyz).toMatchObject(isDegraded)
    setClocks(boundaryMs - 1_000, boundaryMs)
    expect(await statuses()).toEqual([500, 503])
    expect((await readyz()).reasons).toContainEqual(expect.stringMatching(/^clock: .*disagree/))
    setClocks(boundaryMs, boundaryMs)
    expect(await statuses()).toEqual([200, 200])
  })
})
