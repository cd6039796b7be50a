import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startPostgres } from '../src/postgres.ts'

async function ask(url: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // A connection that the server ends would else end the process.
  client.on('error', () => undefined)
  const { rows } = await client.query(text)
  await client.end()
  return rows
}

test('behavior: a server that was halted or crashed comes back on its port with its data', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const url = server.url('postgres')
  await ask(url, 'create table kept as select 1 as n')
  for (const signal of ['SIGINT', 'SIGQUIT'] as const) {
    await server.halt(signal)
    await expect(ask(url, 'select 1')).rejects.toThrow('ECONNREFUSED')
    await server.resume()
    expect(await ask(url, 'select n from kept')).toEqual([{ n: 1 }])
  }
})

test('behavior: what was saved is put back as often as one likes, and what came after it is gone', async () => {
  const server = await startPostgres()
  onTestFinished(() => server.stop())
  const url = server.url('postgres')
  await ask(url, 'create table kept as select 1 as n')
  await server.halt('SIGINT')
  const putBack = await server.save()
  await server.resume()
  for (const n of [2, 3]) {
    await ask(url, `insert into kept values (${n})`)
    await server.halt('SIGQUIT')
    await putBack()
    await server.resume()
    expect(await ask(url, 'select n from kept')).toEqual([{ n: 1 }])
  }
})
