// @module-tag postgres

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import pg from 'pg'
import { expect, inject, onTestFinished, test } from 'vitest'
import { createListener } from '../src/postgres-listener.ts'

/** Starts a proxy of a server. After `swallow`, it drops all bytes of the connections that are open, and closes none. */
async function startProxy(target: URL) {
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname)
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on('data', (bytes) => sockets.has(from) && to.write(bytes))
      from.on('error', () => undefined)
      from.on('close', () => to.destroy())
    }
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  const url = new URL(target)
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url: url.href, swallow: () => sockets.clear() }
}

test('behavior: a listener reconnects if its connection is silent, and calls its handlers without a payload', async () => {
  const { url, remove } = await createTestDatabase('postgres', inject('databases'))
  const proxy = await startProxy(new URL(url))
  const direct = new pg.Client(url)
  await direct.connect()
  const listener = createListener(() => new pg.Client(proxy.url), 50)
  onTestFinished(async () => {
    await listener.close()
    await direct.end()
    await remove()
  })
  const heard: unknown[] = []
  await listener.listen('c', (payload) => heard.push(payload))
  const notify = async (payload: string) => {
    await direct.query(`notify c, '${payload}'`)
    return heard
  }
  await expect.poll(() => notify('before')).toContain('before')
  heard.length = 0
  proxy.swallow()
  await expect.poll(() => heard).toContain(undefined)
  await expect.poll(() => notify('after')).toContain('after')
})
