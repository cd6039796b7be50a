import type { ServerResponse } from 'node:http'
import { Writable } from 'node:stream'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { createEventStream } from './event-stream.ts'

/** Opens a stream whose client reads nothing until `read`. */
function openStream() {
  const received: string[] = []
  const errors: unknown[] = []
  const reads: (() => void)[] = []
  const output = new Writable({
    write: (chunk, _encoding, done) => {
      received.push(String(chunk))
      reads.push(done)
    },
  })
  output.on('error', (error) => errors.push(error))
  onTestFinished(() => void output.destroy())
  const ends: string[] = []
  const response = output as unknown as ServerResponse
  const stream = createEventStream(
    { response, output },
    {
      ...{ types: ['status'], chainId: undefined, keyHash: 'hash', scopes: ['rate'], sentId: 0n },
      onEnd: (reason) => ends.push(reason),
    },
  )
  return { stream, output, received, errors, ends, read: () => reads.shift()?.() }
}

test('error: a stream is cut when more than 128 KiB wait for its client', () => {
  const { stream, ends } = openStream()
  stream.write(Buffer.alloc(128 * 1024))
  stream.write('one more is the bound')
  expect(ends).toEqual([])
  stream.write('too many')
  expect([ends, stream.isOpen()]).toEqual([['slow'], false])
})

test('error: a stream is cut when bytes wait at two checks in a row', async () => {
  const { stream, ends, read } = openStream()
  stream.write('a')
  stream.cutIfStalled()
  read()
  await nextTurn()
  stream.cutIfStalled()
  stream.write('b')
  stream.cutIfStalled()
  expect(ends).toEqual([])
  stream.cutIfStalled()
  expect(ends).toEqual(['slow'])
})

test('behavior: bytes for a client that has closed its half of the connection are dropped', async () => {
  const { stream, output, received, errors, ends, read } = openStream()
  stream.write('a')
  output.end()
  stream.write('b')
  await nextTurn()
  expect([received, errors, ends]).toEqual([['a'], [], []])
  read()
  await new Promise((resolve) => output.once('close', resolve))
  expect([received, errors, ends]).toEqual([['a'], [], ['client']])
})
