// @module-tag postgres

import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPostgres } from '../src/postgres.ts'

let server: Awaited<ReturnType<typeof startPostgres>>
let url: string
beforeAll(async () => {
  server = await startPostgres()
  url = server.url('postgres')
})
afterAll(() => server.stop())

async function ask(text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // A connection that the server ends would else end the process.
  client.on('error', () => undefined)
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

test('default: the description has the version of the server', async () => {
  const [row] = (await ask('show server_version')) as { server_version: string }[]
  expect(server.description).toContain(`PostgreSQL ${row?.server_version.split(' ')[0]} of the `)
})

test('default: a connection authenticates with a password, in one iteration', async () => {
  const [row] = (await ask('select rolpassword from pg_authid where rolname = current_user')) as {
    rolpassword: string
  }[]
  expect(row?.rolpassword).toMatch(/^SCRAM-SHA-256\$1:/)
  const client = new pg.Client({ connectionString: url.replace(':postgres@', ':wrong@') })
  await expect(client.connect()).rejects.toThrow('password authentication failed')
})

test('behavior: a server that was halted or crashed comes back on its port with its data', async () => {
  await ask('create table kept as select 1 as n')
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await server.halt(signal)
    await expect(ask('select 1')).rejects.toThrow('ECONNREFUSED')
    await server.resume()
    expect(await ask('select n from kept')).toEqual([{ n: 1 }])
  }
})

test('behavior: what was saved is put back as often as one likes, and what came after it is gone', async () => {
  await ask('create table saved as select 1 as n')
  await server.halt('SIGINT')
  const putBack = await server.save()
  await server.resume()
  for (const n of [2, 3]) {
    await ask(`insert into saved values (${n})`)
    await server.halt('SIGQUIT')
    await putBack()
    await server.resume()
    expect(await ask('select n from saved')).toEqual([{ n: 1 }])
  }
})
