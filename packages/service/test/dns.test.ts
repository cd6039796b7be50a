// @module-tag postgres

import dns from 'node:dns'
import { expect, onTestFinished, test } from 'vitest'
import { startDatabaseProxy } from './database-proxy.ts'
import { createKey, newDatabase, start } from './harness.ts'

const name = 'database.tallystick.test'

/** Answers the lookups of one name as the test says, and leaves the others to the system. */
function replaceLookup() {
  const original = dns.lookup
  const state = { failure: undefined as string | undefined, count: 0 }
  const lookup = (host: string, options: unknown, callback: (...answer: unknown[]) => void) => {
    if (host !== name) return original(host, options as dns.LookupOptions, callback)
    state.count += 1
    const { failure } = state
    if (failure) return callback(Object.assign(new Error(`getaddrinfo ${failure} ${host}`), { code: failure }))
    const isAll = (options as dns.LookupOptions | undefined)?.all
    return isAll ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4)
  }
  dns.lookup = lookup as typeof dns.lookup
  onTestFinished(() => {
    dns.lookup = original
  })
  return state
}

test('behavior: a database whose name cannot be resolved is away, and each new connection resolves it again', async () => {
  const resolver = replaceLookup()
  const proxy = await startDatabaseProxy(await newDatabase())
  const url = new URL(proxy.url)
  url.hostname = name
  const service = await start({ databaseUrl: url.toString() })
  const headers = { 'x-api-key': (await createKey(service)).secret }
  const readyz = async () => (await service.admin('/readyz')).json()
  for (const failure of ['ENOTFOUND', 'EAI_AGAIN']) {
    resolver.failure = failure
    proxy.setAway(true)
    await expect.poll(readyz).toMatchObject({ ready: true, degraded: true })
    expect((await service.call('/notes', { headers })).status).toBe(200)
    const keys = await service.admin('/keys')
    expect([keys.status, keys.body]).toEqual([503, expect.not.stringMatching(/tallystick\.test|ENOTFOUND|EAI_AGAIN/)])
    await expect.poll(service.log).toContain(`cannot be used (${failure})`)

    const before = resolver.count
    resolver.failure = undefined
    proxy.setAway(false)
    await expect.poll(readyz).toMatchObject({ ready: true, degraded: false })
    expect(resolver.count).toBeGreaterThan(before)
  }
})
