import { appendFile, mkdtemp, open, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createLineFile, DamagedLineError, openLineFile, readLineFile } from '@tallystick/base'
import { expect, onTestFinished, test } from 'vitest'
import { openLogJournal } from '../src/log-journal.ts'

const lines = ['alpha\n', 'beta\n', 'gamma\n', 'delta\n']

async function newPath(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-lines-'))
  onTestFinished(() => rm(directory, { recursive: true }))
  const path = join(directory, 'lines')
  await createLineFile(path)
  return path
}

async function readAll(path: string) {
  const read: string[] = []
  let length = 0
  for await (const { value, endsAt } of readLineFile(path, (line) => line.toString('latin1'))) {
    if (value !== undefined) read.push(value)
    length = endsAt
  }
  return { read, length }
}

test('default: the lines of one append follow each other', async () => {
  const path = await newPath()
  const file = await openLineFile(path, 0)
  await file.append(Buffer.from(lines.join('')))
  await file.append(Buffer.from('last\n'))
  await file.close()
  expect(await readFile(path, 'utf8')).toBe(`${lines.join('')}last\n`)
})

test('behavior: any part of a batch may be NUL after a power failure, and the batch is cut off', async () => {
  const batch = Buffer.from(lines.slice(1).join(''))
  for (let from = 1; from < batch.length; from++) {
    for (let to = from; to <= batch.length; to++) {
      const path = await newPath()
      const torn = Buffer.from(batch)
      torn.fill(0, from, to)
      // The first byte is written after the others are synced.
      torn[0] = 0
      await appendFile(path, Buffer.concat([Buffer.from(lines[0] as string), torn]))
      expect(await readAll(path)).toEqual({ read: ['alpha'], length: (lines[0] as string).length })
    }
  }
})

test('error: NUL bytes within a line that others follow are damage', async () => {
  const path = await newPath()
  await appendFile(path, lines.join('').replace('eta', '\0\0\0'))
  const decode = (line: Buffer) => (line.includes(0) ? undefined : line)
  const readIt = async () => {
    for await (const _ of readLineFile(path, decode));
  }
  await expect(readIt()).rejects.toBeInstanceOf(DamagedLineError)
})

test('behavior: the log journal opens after a power failure in the middle of a batch', async () => {
  const path = join(await newPath(), '..', 'journal')
  const journal = await openLogJournal(path)
  await journal.append(['first'])
  const { size } = await stat(path)
  await journal.append(['second', 'third', 'fourth'])
  await journal.close()
  const handle = await open(path, 'r+')
  await handle.write(Buffer.alloc(1), 0, 1, size)
  await handle.write(Buffer.alloc(60), 0, 60, size + 30)
  await handle.close()
  const again = await openLogJournal(path)
  onTestFinished(() => again.close())
  expect(again.tree.size).toBe(1)
  await again.append(['second'])
  expect(again.tree.size).toBe(2)
})
