import pg from 'pg'
import { inject, onTestFinished } from 'vitest'

/** Sends statements to the server, beside all databases of the tests. */
async function onServer(...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString: inject('databases').postgresUrl })
  await client.connect()
  for (const statement of statements) await client.query(statement)
  await client.end()
}

/** Copies a database that nothing is connected to. Returns a function that restores it, whatever is connected. */
export async function backUp(url: string): Promise<() => Promise<void>> {
  const name = new URL(url).pathname.slice(1)
  const copy = `${name}_backup`
  await onServer(`create database ${copy} template ${name}`)
  onTestFinished(() => onServer(`drop database if exists ${copy} with (force)`))
  return () => onServer(`drop database ${name} with (force)`, `create database ${name} template ${copy}`)
}
