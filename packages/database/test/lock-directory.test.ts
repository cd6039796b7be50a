import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lockDirectory } from '../src/lock-directory.ts'

let folder: string
let directory: string
const children: ChildProcess[] = []

function leaveLock(content: string): string {
  mkdirSync(`${directory}.lock`, { recursive: true })
  writeFileSync(join(`${directory}.lock`, '7'), content)
  return content
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tallystick-lock-'))
  directory = join(folder, 'db')
})
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true })
})

// The build, which starts three times as fast as the sources.
const holdLock = `
  const { lockDirectory } = await import(${JSON.stringify(new URL('../dist/lock-directory.js', import.meta.url).href)})
  try { await lockDirectory(process.argv[1]); console.log('held') } catch (error) { console.log(error.code) }
  setInterval(() => {}, 1e6)`

/** Starts a process that tries to take and keep the lock. Resolves to its output. */
async function spawnHolder(): Promise<{ child: ChildProcess; said: string }> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', holdLock, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.push(child)
  const [chunk] = await once(child.stdout as NodeJS.ReadableStream, 'data')
  return { child, said: String(chunk).trim() }
}

test('default: a held lock is rejected with its holder, and can be taken after its release', async () => {
  const unlock = await lockDirectory(directory)
  await expect(lockDirectory(directory)).rejects.toMatchObject({ code: 'database_in_use' })
  await expect(lockDirectory(directory)).rejects.toThrow(`is in use by process ${process.pid} on ${hostname()}`)
  await unlock()
  const again = await lockDirectory(directory)
  await again()
  expect(await readdir(`${directory}.lock`)).toEqual(['2'])
})

test('behavior: another process is rejected, and the lock of a killed process can be taken at once', async () => {
  const { child, said } = await spawnHolder()
  expect(said).toBe('held')
  await expect(lockDirectory(directory)).rejects.toThrow(`process ${child.pid}`)
  expect((await spawnHolder()).said).toBe('database_in_use')
  child.kill('SIGKILL')
  await once(child, 'exit')
  const unlock = await lockDirectory(directory)
  expect((await spawnHolder()).said).toBe('database_in_use')
  await unlock()
})

test('behavior: exactly one of several processes takes a stale lock', async () => {
  const stale = JSON.stringify({ pid: 2 ** 22 + 1, host: hostname(), started: '1' })
  for (let round = 0; round < 50; round++) {
    leaveLock(stale)
    const results = await Promise.allSettled(Array.from({ length: 8 }, () => lockDirectory(directory)))
    const held = results.filter((result) => result.status === 'fulfilled')
    expect(held).toHaveLength(1)
    await held[0]?.value()
    await rm(`${directory}.lock`, { recursive: true })
  }
})

test('behavior: holders never overlap', async () => {
  let holders = 0
  let turns = 0
  const contend = async () => {
    for (let turn = 0; turn < 30; turn++) {
      const unlock = await lockDirectory(directory).catch(() => undefined)
      if (!unlock) continue
      expect(++holders).toBe(1)
      turns++
      await readdir(folder)
      holders--
      await unlock()
    }
  }
  await Promise.all([contend(), contend(), contend(), contend()])
  expect(turns).toBeGreaterThan(1)
})

test('behavior: a process with a reused process id is not the holder', async () => {
  leaveLock(JSON.stringify({ pid: process.pid, host: hostname(), started: 'before' }))
  const unlock = await lockDirectory(directory)
  await unlock()
  expect(await readdir(`${directory}.lock`)).toEqual(['8'])
})

test('behavior: a lock of another machine is not taken', async () => {
  const elsewhere = leaveLock(JSON.stringify({ pid: 1, host: 'elsewhere', started: '1' }))
  await expect(lockDirectory(directory)).rejects.toThrow('on elsewhere')
  expect(await readFile(join(`${directory}.lock`, '7'), 'utf8')).toBe(elsewhere)
})

test('behavior: a damaged lock file does not block the lock', async () => {
  leaveLock('{"pid":')
  const unlock = await lockDirectory(directory)
  await unlock()
  expect(await readdir(`${directory}.lock`)).toEqual(['8'])
})
