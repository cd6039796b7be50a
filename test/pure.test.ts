import { exec, execFile, execFileSync, execSync, fork, spawn, spawnSync } from 'node:child_process'
import { pbkdf2, pbkdf2Sync, scrypt, scryptSync } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { createServer as createHttpServer, get } from 'node:http'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Worker } from 'node:worker_threads'
import { afterEach, expect, test, vi } from 'vitest'
import { sleepMs, takeRefused } from './set-up/refuse-impure.ts'

type Compile = (source: Uint8Array) => Promise<object>
const webAssembly: { readonly compile: Compile; readonly instantiate: Compile } = Reflect.get(globalThis, 'WebAssembly')
const nothing = () => undefined

afterEach(() => void vi.useRealTimers())

/** Returns a function that uses a UDP socket and closes it. */
const withDatagram = (use: (socket: ReturnType<typeof createSocket>) => void) => () => {
  const socket = createSocket('udp4')
  try {
    use(socket)
  } finally {
    socket.close()
  }
}

test.each<[string, string, () => unknown]>([
  ['spawn', 'starts a process', () => spawn('true')],
  ['spawnSync', 'starts a process', () => spawnSync('true')],
  ['exec', 'starts a process', () => exec('true')],
  ['execSync', 'starts a process', () => execSync('true')],
  ['execFile', 'starts a process', () => execFile('true')],
  ['execFileSync', 'starts a process', () => execFileSync('true')],
  ['fork', 'starts a process', () => fork('none.js')],
  ['Worker', 'starts a thread', () => new Worker('', { eval: true })],
  ['listen', 'listens on a port', () => createServer().listen(0)],
  ['listen', 'listens on a port', () => createHttpServer().listen(0)],
  ['connect', 'connects to a port', () => connect(1)],
  ['connect', 'connects to a port', () => get('http://127.0.0.1:1')],
  ['bind', 'opens a UDP port', withDatagram((socket) => socket.bind())],
  ['connect', 'opens a UDP port', withDatagram((socket) => socket.connect(53))],
  ['send', 'opens a UDP port', withDatagram((socket) => socket.send('', 53))],
  ['scrypt', 'derives a key slowly', () => scrypt('', '', 32, nothing)],
  ['scryptSync', 'derives a key slowly', () => scryptSync('', Buffer.alloc(8), 32, { N: 2 ** 18, r: 8, p: 1 })],
  ['pbkdf2', 'derives a key slowly', () => pbkdf2('', '', 262_144, 32, 'sha256', nothing)],
  ['pbkdf2Sync', 'derives a key slowly', () => pbkdf2Sync('', '', 262_144, 32, 'sha256')],
  ['compile', 'opens a database', () => webAssembly.compile(new Uint8Array(3_000_000))],
  ['instantiate', 'opens a database', () => webAssembly.instantiate(new Uint8Array(3_000_000))],
  ['setTimeout', 'sleeps', () => sleep(sleepMs)],
  ['setTimeout', 'sleeps', () => promisify(setTimeout)(sleepMs)],
])('error: %s %s', (name, what, use) => {
  expect(use).toThrow(
    `This unit test ${what} (${name}). Move it into the test directory of its package: a test next to its source is pure.`,
  )
  expect(takeRefused()).toEqual([`This unit test ${what} (${name}).`])
})

test('error: a refusal that the code under test catches is known', () => {
  expect(() => spawnSync('true')).toThrow()
  expect(takeRefused()).toEqual(['This unit test starts a process (spawnSync).'])
})

test('error: a timer that fires is a sleep', async () => {
  await new Promise((done) => setTimeout(done, sleepMs))
  expect(takeRefused()).toEqual([
    expect.stringMatching(/^This unit test sleeps \(setTimeout of 200 ms at .*pure\.test\.ts/),
  ])
})

test('default: cheap keys, short timers, cleared deadlines and fake timers are allowed', async () => {
  expect(scryptSync('', '', 32, { N: 1024 })).toHaveLength(32)
  expect(pbkdf2Sync('', '', 1000, 32, 'sha256')).toHaveLength(32)
  clearTimeout(setTimeout(nothing, 60_000))
  expect(await promisify(setTimeout)(1, 'value')).toBe('value')
  vi.useFakeTimers()
  const waiting = new Promise((done) => setTimeout(done, 60_000, 'fired'))
  vi.advanceTimersByTime(60_000)
  expect(await waiting).toBe('fired')
  expect(takeRefused()).toEqual([])
})
