import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { startLocalServer } from '@tallystick/workbench/start-local-server'
import { expect, onTestFinished, test } from 'vitest'

/** Starts a server that sends headers and the beginning of a body, and below /drips a byte from time to time. */
async function startSlowServer() {
  const open = new Map<Socket, string>()
  const server = await startLocalServer(({ socket, url = '' }, response) => {
    open.set(socket, url)
    socket.on('close', () => open.delete(socket))
    const type = url.includes('/events') ? 'text/event-stream' : 'application/json'
    response.writeHead(200, { 'content-type': type }).write(':')
    if (!url.startsWith('/drips')) return
    const timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  })
  onTestFinished(server.stop)
  return { url: server.url, listOpen: () => [...open.values()] }
}

const source = (file: string) => new URL(`../src/${file}`, import.meta.url).href

/** Reads notes, a log and events, while garbage is collected. Stays alive afterwards, with whatever it left open. */
const program = `
  import { createEnvironment } from '${source('environment.ts')}'
  import { followEvents } from '${source('events/follow-events.ts')}'
  import { requestBytes } from '${source('http/request-bytes.ts')}'
  import { requestJson } from '${source('http/request-json.ts')}'
  setInterval(gc, 20)
  const describe = (work) => work.then(() => 'done', (error) => error.code)
  const read = async (baseUrl) => {
    const environment = createEnvironment()
    const connection = { environment, baseUrl, urlOption: 'baseUrl', apiKey: undefined, timeoutMs: 1_000, retries: 0 }
    const stopping = new AbortController()
    setTimeout(() => stopping.abort(), 1_000)
    const events = { query: '', signal: stopping.signal, onEvent: () => {}, onLive: () => {} }
    return Promise.all([
      describe(requestJson(connection, { path: '/notes' })),
      describe(requestBytes(connection, { path: '/log/checkpoint', bytesMax: 1_000_000 })),
      describe(followEvents(connection, events)),
    ])
  }
  // An abort is not lost every time.
  const readAgain = async (baseUrl) => {
    const outcomes = await Promise.all(Array.from({ length: 10 }, () => read(baseUrl)))
    return [...new Set(outcomes.map(String))]
  }
  const outcomes = await Promise.all(process.argv.slice(1).map(readAgain))
  console.log(JSON.stringify(outcomes))`

// The fetch of Node 20 loses its abort in a garbage collection once the headers have arrived. Then a stream of events
// never ended, and connections stayed open.
test('error: a body that drips, or stops, ends at the deadline, and its connection is closed', async () => {
  const { url, listOpen } = await startSlowServer()
  const flags = ['--expose-gc', '--conditions=src', '--import', 'tsx', '--input-type=module', '-e', program]
  const child = spawn(process.execPath, [...flags, `${url}/drips`, `${url}/stops`], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  const expected = ['timeout,timeout,done']
  expect(JSON.parse(String(line))).toEqual([expected, expected])
  await expect.poll(listOpen).toEqual([])
})
