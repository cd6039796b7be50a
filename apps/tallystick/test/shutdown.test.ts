// @module-tag server

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { openDatabase } from '@tallystick/database'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { expect, onTestFinished, test } from 'vitest'
import { chain324, type Defer, newDatabase, pool } from '../../../packages/service/test/harness.ts'
import { prepareSite, type Site, serve } from './process.ts'

const cli = fileURLToPath(new URL('../bin/tallystick.js', import.meta.url))
const tls = { cert: 'cert.pem', key: 'key.pem' }
const listen = { host: '127.0.0.1', port: 0, tls, shutdownSeconds: 60 }

/** Starts an RPC that is out of order, and from `drip` on sends headers and then its body byte by byte, for ever. */
async function startDrippingRpc() {
  let open = 0
  let isDripping = false
  const server = await startLocalServer((_, response) => {
    if (!isDripping) {
      response.writeHead(503).end()
      return
    }
    response.writeHead(200, { 'content-type': 'application/json' })
    const timer = setInterval(() => response.write(' '), 20)
    open += 1
    response.on('close', () => {
      clearInterval(timer)
      open -= 1
    })
  })
  onTestFinished(server.stop)
  const drip = () => {
    isDripping = true
  }
  return { url: server.url, open: () => open, drip }
}

/** Starts the service in a process that collects garbage all the time. */
async function serveWithCollections(site: Site) {
  const collect = 'data:text/javascript,setInterval(gc,250).unref()'
  const argv = ['--expose-gc', '--import', collect, cli, 'serve', '--config', site.configPath]
  const child = spawn(process.execPath, argv, { env: { PATH: process.env['PATH'], ...site.env } })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  const note = (chunk: unknown) => {
    output += String(chunk)
  }
  for (const stream of [child.stdout, child.stderr]) stream.on('data', note)
  await expect.poll(() => output).toContain('\nready ')
  return { child, output: () => output }
}

// The requests of Node 20's fetch lost their abort, so that the process never ended.
test('default: SIGTERM ends a service whose RPC never finishes a response', { tags: 'slow' }, async () => {
  const rpc = await startDrippingRpc()
  const embedded = { positions: pool, startBlock: 0 }
  const chains = [{ ...chain324, rpc: [rpc.url], subgraph: { embedded } }]
  const site = await prepareSite({ databaseUrl: await newDatabase(), config: { listen, chains } })
  const { child, output } = await serveWithCollections(site)
  rpc.drip()
  await expect.poll(rpc.open).toBeGreaterThan(0)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  expect([await exited, output()]).toEqual([[0, null], expect.not.stringContaining('shutdown')])
})

test('error: a part that does not end is named, and the status is 1', async () => {
  const databaseUrl = await newDatabase()
  const site = await prepareSite({ databaseUrl, config: { listen: { ...listen, shutdownSeconds: 2 } } })
  const running = await serve(site, onTestFinished as Defer)
  const other = await openDatabase(databaseUrl)
  onTestFinished(() => other.close())
  const { exitCode, stderr } = await other.transaction(async (transaction) => {
    // The replica cannot sign off.
    await transaction.query('lock table replicas in access exclusive mode')
    return running.kill('SIGTERM')
  })
  expect(exitCode).toBe(1)
  expect(stderr).toMatch(/"parts":\["replica"[^\n]*shutdown incomplete/)
  expect(stderr).toMatch(/^shutdown failed: these parts did not end within 2 s: replica/m)
})
