import { execFileSync } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, readFileSync, readSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { waitOptions } from '@tallystick/workbench/wait-options'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createLineWriter } from '../src/create-line-writer.ts'

const formatDropped = (count: number) => `dropped ${count}\n`

function newDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-lines-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  return directory
}

/** Opens a full pipe without a reader. `drain` reads its content. */
function openFullPipe() {
  const path = join(newDirectory(), 'pipe')
  execFileSync('mkfifo', [path])
  const reader = openSync(path, constants.O_RDWR | constants.O_NONBLOCK)
  const writer = openSync(path, constants.O_WRONLY)
  const filler = Buffer.alloc(4_096, 'x')
  expect(() => {
    for (;;) writeSync(reader, filler)
  }).toThrow('EAGAIN')
  onTestFinished(() => closeSync(reader))
  const drain = () => {
    const chunk = Buffer.alloc(65_536)
    let text = ''
    try {
      for (;;) text += chunk.toString('latin1', 0, readSync(reader, chunk))
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('EAGAIN')
    }
    return text.replaceAll('x', '')
  }
  return { writer, drain }
}

test('default: lines are written to a file in order, also in several batches', async () => {
  const path = join(newDirectory(), 'log')
  const writer = createLineWriter(openSync(path, 'a'), { formatDropped })
  const lines = Array.from({ length: 5_000 }, (_, index) => `line ${index} ${'é'.repeat(20)}\n`)
  for (const line of lines) writer.write(line)
  await writer.flush()
  expect(readFileSync(path, 'utf8')).toBe(lines.join(''))
  expect(writer.dropped()).toBe(0)
})

test('behavior: the queue of a pipe without a reader is bounded; further lines are counted and reported', async () => {
  const pipe = openFullPipe()
  const writer = createLineWriter(pipe.writer, { formatDropped, queueLengthMax: 100 })
  // The first line is being written, ten are queued.
  for (let index = 0; index < 50; index++) writer.write(`line  ${String(index).padStart(3)}\n`)
  expect(writer.dropped()).toBe(39)
  let text = ''
  await vi.waitFor(() => {
    text += pipe.drain()
    expect(text).toContain('dropped 39\n')
  }, waitOptions)
  await writer.flush()
  text += pipe.drain()
  expect(text.match(/^line .*$/gm)).toHaveLength(11)
  writer.write('after\n')
  await writer.flush()
  expect(pipe.drain()).toBe('after\n')
  expect(writer.dropped()).toBe(39)
})

test('behavior: the flush of a pipe without a reader ends after 1 s', async () => {
  const { writer: fd } = openFullPipe()
  const writer = createLineWriter(fd, { formatDropped })
  writer.write('line\n')
  const startedMs = performance.now()
  await writer.flush()
  expect(performance.now() - startedMs).toBeGreaterThan(900)
})

test('error: lines that a full disk rejects are counted', async ({ skip }) => {
  skip(process.platform !== 'linux', 'only Linux has /dev/full')
  const writer = createLineWriter(openSync('/dev/full', 'w'), { formatDropped })
  for (let index = 0; index < 3; index++) writer.write('line\n')
  await vi.waitFor(() => expect(writer.dropped()).toBe(3), waitOptions)
})
