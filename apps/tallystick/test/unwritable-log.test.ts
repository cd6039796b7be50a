// @module-tag slow

import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { constants, openSync, writeFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { createCertificateAuthority } from '@tallystick/workbench/certificate-authority'
import { findFreePort } from '@tallystick/workbench/free-port'
import { type Answer, sendRequest } from '@tallystick/workbench/send-request'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { adminToken, createDeferrals, newDatabase } from '../../../packages/service/test/harness.ts'
import { launch, prepareSite, type Site, serve, tallystick } from './process.ts'

let site: Site
let adminPort: number
let secret: string
let baseUrl: string
/** Of the authority that issued the certificate in use. */
let ca: string

beforeAll(async () => {
  const { defer, finish } = createDeferrals()
  adminPort = await findFreePort()
  const [port, databaseUrl] = [await findFreePort(), await newDatabase('postgres', defer)]
  const listen = { host: '127.0.0.1', port, tls: { cert: 'cert.pem', key: 'key.pem' } }
  const admin = { port: adminPort, token: 'env:ADMIN_TOKEN' }
  site = await prepareSite({ databaseUrl, config: { listen, admin } })
  await tallystick(site, 'curve', 'set', '7=369', '14=365', '30=362')
  secret = JSON.parse((await tallystick(site, 'keys', 'create', '--name', 'test', '--json')).stdout).secret
  baseUrl = `https://127.0.0.1:${port}`
  ca = site.ca
  return finish
})

/** A pipe that is full and that nobody reads. */
function openFullPipe(name: string): number {
  const path = join(site.directory, name)
  execFileSync('mkfifo', [path])
  const keeper = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const fd = openSync(path, constants.O_WRONLY)
  expect(() => {
    for (;;) writeSync(keeper, Buffer.alloc(4_096))
  }).toThrow('EAGAIN')
  return fd
}

const notes = (ca: string) => sendRequest(`${baseUrl}/notes`, { headers: { 'x-api-key': secret }, ca })
const metrics = () =>
  sendRequest(`http://127.0.0.1:${adminPort}/metrics`, { headers: { authorization: `Bearer ${adminToken}` } })

function droppedOn(stream: string, { body }: Answer): number {
  return Number(new RegExp(`^tallystick_log_dropped_total{stream="${stream}"} (\\d+)$`, 'm').exec(body)?.[1])
}

/** Waits until the service answers with a certificate of this authority. */
async function untilServed(ca: string): Promise<void> {
  await vi.waitFor(async () => expect((await notes(ca)).status).toBe(200), waitOptions)
}

/** Runs a service with these descriptors, makes it log, and ends it. */
async function exercise(streams: { readonly stdout: number; readonly stderr: number }, look: (answer: Answer) => void) {
  const child = launch(site, ['serve'], streams)
  onTestFinished(() => void child.kill('SIGKILL'))
  const exited = once(child, 'exit')
  await untilServed(ca)
  // A changed certificate is a line of the log.
  const authority = createCertificateAuthority()
  const { cert, key } = authority.issue(['127.0.0.1'])
  writeFileSync(join(site.directory, 'key.pem'), key)
  writeFileSync(join(site.directory, 'cert.pem'), cert)
  ca = authority.cert
  await untilServed(ca)
  await vi.waitFor(async () => look(await metrics()), waitOptions)
  const signalledMs = performance.now()
  child.kill('SIGTERM')
  expect(await exited).toEqual([0, null])
  expect(performance.now() - signalledMs).toBeLessThan(60_000)
}

describe('a log that cannot be written', () => {
  beforeEach(({ skip }) => skip(process.platform !== 'linux', 'needs /dev/full and the pipes of Linux'))

  test('error: a full disk behind stdout and stderr loses lines, not requests', async () => {
    await exercise({ stdout: openSync('/dev/full', 'w'), stderr: openSync('/dev/full', 'w') }, (answer) => {
      expect(droppedOn('stderr', answer)).toBeGreaterThan(0)
      expect(droppedOn('stdout', answer)).toBeGreaterThan(1)
    })
  })

  test('error: pipes that nobody reads do not stop the service', async () => {
    await exercise({ stdout: openFullPipe('stdout'), stderr: openFullPipe('stderr') }, (answer) => {
      // Few lines are lost: they wait in memory.
      expect(droppedOn('stderr', answer)).toBe(0)
    })
  })
})

test('behavior: SIGUSR1 does not open an inspector', async () => {
  const inspectorPort = await findFreePort()
  const env = { ...site.env, NODE_OPTIONS: `--inspect-port=${inspectorPort}` }
  const server = await serve({ ...site, env }, onTestFinished as never)
  for (let count = 0; count < 3; count++) {
    server.child.kill('SIGUSR1')
    expect((await notes(ca)).status).toBe(200)
  }
  await expect(sendRequest(`http://127.0.0.1:${inspectorPort}/json/version`)).rejects.toThrow('ECONNREFUSED')
  const { exitCode, stderr } = await server.kill('SIGTERM')
  expect([exitCode, stderr]).toEqual([0, expect.not.stringContaining('Debugger')])
})
