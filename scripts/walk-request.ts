// Prints the source files that one request passes through on an open connection, in the order of their first call. The
// service is a sandbox that runs from the sources. The thread of its database is not walked.
//
//   npm run walk -- /notes
//   npm run walk -- /data '{"query":"{ pools(first: 999) { id } }","variables":{"chains":[324]}}'
//
// 999 in the body is another number in each request, so that no answer is from memory.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { type Debugger, type Profiler, Session } from 'node:inspector/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { createClosers, startSandbox } from '../apps/sandbox/src/start-sandbox.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const [path = '/notes', body] = process.argv.slice(2)
const rounds = 8
const session = new Session()
session.connect()
await session.post('Debugger.enable')

const dir = mkdtempSync(join(tmpdir(), 'walk-request-'))
const closers = createClosers()
try {
  const options = { port: 0, dir, fresh: false, positions: 5, chains: 1, command: 'npx tallystick' } as const
  await startSandbox(options, { closers, say: () => undefined, stdout: { dropped: () => 0 } })
  const send = createSend()
  // The first requests build what is built once.
  for (let count = 0; count < 3; count += 1) await send()
  const functions = await findFunctions(send)
  const files = await sortByCall(functions, send)
  process.stdout.write(files.map((file, index) => `${index + 1} ${file}\n`).join(''))
} finally {
  await closers.close()
  rmSync(dir, { recursive: true, force: true })
}
process.exit()

/** Creates the function that sends one request more. All of them use one connection. */
function createSend(): () => Promise<void> {
  const { baseUrl, apiKey, caCert } = JSON.parse(readFileSync(join(dir, 'credentials.json'), 'utf8'))
  const agent = new Agent({ ca: readFileSync(caCert), keepAlive: true, maxSockets: 1 })
  let count = 100
  return async () => {
    count += 1
    const headers = { 'x-api-key': apiKey, ...(body && { 'content-type': 'application/json' }) }
    const sent = request(`${baseUrl}${path}`, { agent, method: body ? 'POST' : 'GET', headers })
    sent.end(body?.replace('999', String(count)))
    const response = await new Promise<import('node:http').IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve).once('error', reject)
    })
    const answer = await text(response)
    if (response.statusCode !== 200) throw new Error(`status ${response.statusCode}: ${answer}`)
  }
}

type Called = { readonly scriptId: string; readonly url: string; readonly range: Profiler.CoverageRange }

/** Returns the functions that run in each of several requests, and more often than in the same time without them. */
async function findFunctions(send: () => Promise<void>): Promise<readonly Called[]> {
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
  const inRequests: Called[][] = []
  const atRest: Called[][] = []
  for (let round = 0; round < rounds; round += 1) {
    await takeFunctions()
    const startedMs = performance.now()
    await send()
    inRequests.push(await takeFunctions())
    await new Promise((resolve) => setTimeout(resolve, performance.now() - startedMs))
    atRest.push(await takeFunctions())
  }
  await session.post('Profiler.stopPreciseCoverage')
  const keyOf = ({ url, range }: Called) => `${url} ${range.startOffset}`
  const listOf = (all: Called[][], key: string) => all.flat().filter((called) => keyOf(called) === key)
  const countOf = (found: readonly Called[]) => found.reduce((sum, { range }) => sum + range.count, 0)
  return (inRequests[0] ?? []).filter((called) => {
    const found = listOf(inRequests, keyOf(called))
    return found.length === rounds && countOf(found) > countOf(listOf(atRest, keyOf(called)))
  })
}

/** Returns the functions called since the last call, and resets their counts. The body of a module is none. */
async function takeFunctions(): Promise<Called[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage')
  const sources = result.filter(({ url }) => /^file:.*\/(packages|apps)\/(?!sandbox)[^/]+\/src\//.test(url))
  return sources.flatMap(({ scriptId, url, functions }) =>
    functions.flatMap(({ ranges: [range] }) =>
      range && range.count > 0 && range.startOffset > 0 ? [{ scriptId, url, range }] : [],
    ),
  )
}

/** Returns the files of functions in the order in which a request calls them, by breakpoints that never stop. */
async function sortByCall(functions: readonly Called[], send: () => Promise<void>): Promise<readonly string[]> {
  const names = functions.map(({ url }) => relative(root, fileURLToPath(url)))
  const seen = new Set<string>()
  Object.assign(globalThis, { walked: (index: number) => void seen.add(names[index] as string) })
  for (const [index, { scriptId, range }] of functions.entries()) {
    const { scriptSource } = await session.post('Debugger.getScriptSource', { scriptId })
    const locate = (offset: number): Debugger.Location => {
      const lines = scriptSource.slice(0, offset).split('\n')
      return { scriptId, lineNumber: lines.length - 1, columnNumber: lines.at(-1)?.length ?? 0 }
    }
    const inside = { start: locate(range.startOffset), end: locate(range.endOffset), restrictToFunction: true }
    const { locations } = await session.post('Debugger.getPossibleBreakpoints', inside)
    const [location] = locations
    if (location) await session.post('Debugger.setBreakpoint', { location, condition: `walked(${index})` })
  }
  await send()
  return [...new Set([...seen, ...names])]
}
