// @module-tag slow

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { periodAt } from '@tallystick/core'
import { findFreePort } from '@tallystick/workbench/free-port'
import { shortRunFlags } from '@tallystick/workbench/short-run-flags'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabase, start, type TestService } from './harness.ts'

const cli = fileURLToPath(new URL('../../../apps/tallystick/bin/tallystick.js', import.meta.url))
const log = { origin: 'notes.example/log', key: 'env:LOG_KEY', mirror: 'mirror' }
/** 2026-11-01, the day of 25 hours: five minutes before its evening period. */
const { end: boundary } = periodAt(1793511000n)

async function startLogged(): Promise<TestService & { readonly key: string; readonly caPath: string }> {
  const at = new Date(Number(boundary - 300n) * 1000).toISOString()
  const service = await start({ at, databaseUrl: await newDatabase('postgres'), config: { log } })
  const caPath = join(service.directory, 'ca.pem')
  await writeFile(caPath, service.ca)
  const { body } = await service.call('/log/key')
  return { ...service, key: body.trim(), caPath, database: service.database, operator: service.operator }
}

/** Starts `tallystick monitor` as a process of its own: it trusts the certificate by its environment. */
function launch(caPath: string, commandLine: readonly string[]) {
  const env = { PATH: process.env['PATH'], NODE_EXTRA_CA_CERTS: caPath }
  const child = spawn(process.execPath, [...shortRunFlags, cli, 'monitor', ...commandLine], { env })
  onTestFinished(() => void child.kill('SIGKILL'))
  const chunks: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  return { child, output: () => chunks.join('') }
}

async function run(caPath: string, ...commandLine: readonly string[]) {
  const { child, output } = launch(caPath, [...commandLine, '--once'])
  return { exitCode: await ended(child), output: output() }
}

async function ended(child: ChildProcess): Promise<number | null> {
  const [exitCode] = (await once(child, 'close')) as [number | null]
  return exitCode
}

/** Serves a directory as any web server would. */
async function serveFiles(directory: string): Promise<string> {
  const server = await startLocalServer((request, response) => {
    createReadStream(join(directory, request.url as string))
      .on('error', () => response.writeHead(404).end())
      .pipe(response)
  })
  onTestFinished(server.stop)
  return server.url
}

test('default: a real service is silent over a boundary, also its mirror, and an altered entry is found', async () => {
  const service = await startLogged()
  const { baseUrl, clock, key, caPath, directory } = service
  const state = join(directory, 'state.json')
  const size = async () => Number((await service.call('/log/checkpoint')).body.split('\n')[1])
  // A curve, a signer, and the sets of this and the next period, which is withheld.
  await expect.poll(size).toBe(4)
  const first = await run(caPath, baseUrl, '--key', key, '--state', state)
  expect([first.exitCode, first.output]).toEqual([
    0,
    expect.stringContaining('No findings: 3 entries, 1 more not public yet, lends on chain 324 not checked'),
  ])

  // The database's time is known to some milliseconds only, and nothing is public before both have reached it.
  clock.hold(Number(boundary + 2n) * 1000)
  const second = await run(caPath, baseUrl, '--key', key, '--state', state)
  expect([second.exitCode, second.output]).toEqual([0, expect.stringContaining('No findings: 4 entries,')])
  expect(second.output).toContain('3 of 4 entries were checked before')

  const mirror = join(directory, 'mirror')
  await expect.poll(() => readdir(join(mirror, 'tile/entries/000.p')).catch(() => [])).toContain('4')
  const copied = await run(caPath, await serveFiles(mirror), '--key', key, '--json')
  expect([copied.exitCode, copied.output]).toEqual([0, expect.stringContaining('No findings: 4 entries,')])

  await service.database.query(`update log_entries set entry = replace(entry, '"369"', '"370"') where index = 0`)
  const altered = await run(caPath, `${baseUrl}/log`, '--key', key)
  expect([altered.exitCode, altered.output]).toEqual([1, expect.stringContaining('FINDING bundle_wrong')])
  expect(altered.output).toContain('has another entry 0 than the tree')
})

test('behavior: as a service it has metrics, and SIGTERM ends it with a state to continue with', {
  tags: 'slow',
}, async () => {
  const { baseUrl, key, caPath, directory } = await startLogged()
  const state = join(directory, 'state.json')
  const port = await findFreePort()
  const options = ['--interval', '1', '--metrics', `127.0.0.1:${port}`, '--state', state]
  const { child, output } = launch(caPath, [baseUrl, '--key', key, ...options])
  const scrape = () =>
    fetch(`http://127.0.0.1:${port}/metrics`).then(
      (response) => response.text(),
      () => '',
    )
  await expect.poll(scrape).toMatch(/^tallystick_monitor_last_success_timestamp_seconds\{of="log"\} [1-9]/m)
  expect(await scrape()).toContain('tallystick_monitor_checkpoint_size 4\n')
  expect(await scrape()).toContain('tallystick_monitor_entries_unread 1\n')
  expect(await scrape()).toContain('tallystick_monitor_findings_total{kind="lend_not_logged"} 0\n')
  expect((await fetch(`http://127.0.0.1:${port}/`)).status).toBe(404)
  child.kill('SIGTERM')
  expect([await ended(child), output()]).toEqual([0, expect.stringContaining('SIGTERM: shutting down gracefully')])
  expect(JSON.parse(await readFile(state, 'utf8'))).toMatchObject({ checked: 3, checkpoint: { size: 4 } })
})

test('error: a certificate that is not trusted, and metrics on a port in use', async () => {
  const { baseUrl, key, caPath } = await startLogged()
  const other = join(caPath, '..', 'cert.pem')
  const untrusted = await run(other, baseUrl, '--key', key)
  expect([untrusted.exitCode, untrusted.output]).toEqual([
    1,
    expect.stringContaining('WARNING The log cannot be reached ('),
  ])
  const { port } = new URL(baseUrl)
  const busy = await run(caPath, baseUrl, '--key', key, '--metrics', `127.0.0.1:${port}`)
  expect([busy.exitCode, busy.output]).toEqual([3, expect.stringContaining('(EADDRINUSE)')])
})
