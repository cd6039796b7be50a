// @module-tag postgres

import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { createTestDatabase } from '@tallystick/workbench/test-database'
import { afterAll, beforeAll, expect, inject, onTestFinished, test } from 'vitest'
import { type Database, openDatabase } from '../src/index.ts'

let url: string
let remove: () => Promise<void>
beforeAll(async () => {
  ;({ url, remove } = await createTestDatabase('postgres', inject('databases')))
})
afterAll(() => remove())

const wanted = { jit: 'off', statement_timeout: '30s' }

async function open(from: string): Promise<Database> {
  const database = await openDatabase(from)
  onTestFinished(() => database.close())
  return database
}

const read = async ({ query }: Pick<Database, 'query'>) => {
  const [row] = await query(
    "select current_setting('jit') as jit, current_setting('statement_timeout') as statement_timeout",
  )
  return row
}

test('behavior: no session compiles its statements', async () => {
  const database = await open(url)
  const sessions = [read(database), database.transaction(read), database.snapshot(read)]
  expect(await Promise.all(sessions)).toEqual([wanted, wanted, wanted])
})

test.each(['discard all', 'reset all'])('behavior: %s keeps the settings of a session', async (reset) => {
  const database = await open(url)
  await database.query(reset)
  expect(await read(database)).toEqual(wanted)
})

test('behavior: options in the URL are kept and do not replace the settings', async () => {
  const database = await open(`${url}&options=${encodeURIComponent('-c search_path=elsewhere')}`)
  expect(await database.query('show search_path')).toEqual([{ search_path: 'elsewhere' }])
  expect(await read(database)).toEqual(wanted)
})

test('behavior: sessions have the settings behind a pooler that refuses or ignores startup parameters', async () => {
  for (const mode of ['refuse', 'ignore'] as const) {
    const database = await open(await startPooler(mode))
    expect(await read(database)).toEqual(wanted)
    expect(await database.transaction(read)).toEqual(wanted)
  }
})

/** Starts a proxy that treats the startup parameters it does not know as PgBouncer does. Returns its URL. */
async function startPooler(mode: 'refuse' | 'ignore'): Promise<string> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  const server = createServer(async (client) => {
    sockets.add(client.on('error', () => undefined))
    const [message] = (await once(client, 'data')) as [Buffer]
    const parameters = readParameters(message)
    const unknown = Object.keys(parameters).find((name) => !known.has(name))
    if (unknown !== undefined && mode === 'refuse') return void client.end(formatRefusal(unknown))
    const upstream = connect(Number(port), hostname)
    sockets.add(upstream.on('error', () => undefined))
    upstream.write(formatParameters(Object.entries(parameters).filter(([name]) => known.has(name))))
    client.pipe(upstream).pipe(client)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return url.replace(`:${port}/`, `:${(server.address() as AddressInfo).port}/`)
}

// Those that PgBouncer 1.18 accepts and this client sends.
const known = new Set(['user', 'database', 'client_encoding', 'application_name'])

/** Reads the names and values after the length and the version of the protocol. */
function readParameters(message: Buffer): Readonly<Record<string, string>> {
  const texts = message.subarray(8).toString().split('\0')
  return Object.fromEntries(
    texts.flatMap((name, index) => (index % 2 === 0 && name !== '' ? [[name, texts[index + 1] ?? '']] : [])),
  )
}

function formatParameters(parameters: readonly (readonly [string, string])[]): Buffer {
  const body = Buffer.from(`\0\x03\0\0${parameters.map(([name, value]) => `${name}\0${value}\0`).join('')}\0`)
  return Buffer.concat([toLength(body), body])
}

function formatRefusal(name: string): Buffer {
  const body = Buffer.from(`SFATAL\0C08P01\0Munsupported startup parameter: ${name}\0\0`)
  return Buffer.concat([Buffer.from('E'), toLength(body), body])
}

function toLength(body: Buffer): Buffer {
  const length = Buffer.alloc(4)
  length.writeInt32BE(body.length + 4)
  return length
}
