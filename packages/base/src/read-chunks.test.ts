import { expect, test } from 'vitest'
import { readChunks } from './read-chunks.ts'

const tooLarge = () => new Error('too large')

/** Creates a body of 10-byte chunks that records how many were read and whether it was cancelled. */
function createBody(count: number) {
  const seen = { chunks: 0, isCancelled: false }
  async function* read() {
    try {
      for (; seen.chunks < count; ) {
        seen.chunks += 1
        yield new Uint8Array(10).fill(seen.chunks)
      }
    } finally {
      seen.isCancelled = seen.chunks < count
    }
  }
  return { seen, source: read() }
}

test('default: returns all chunks in order', async () => {
  const { source } = createBody(3)
  const chunks = await readChunks(source, { bytesMax: 30, tooLarge })
  expect(chunks.map(([first]) => first)).toEqual([1, 2, 3])
})

test('behavior: an empty body has no chunks', async () => {
  expect(await readChunks([], { bytesMax: 0, tooLarge })).toEqual([])
})

test('error: a body of one byte too many is rejected and read no further', async () => {
  const { source, seen } = createBody(100)
  await expect(readChunks(source, { bytesMax: 29, tooLarge })).rejects.toThrow('too large')
  expect(seen).toEqual({ chunks: 3, isCancelled: true })
})

test('error: a failure of the body is passed on', async () => {
  // biome-ignore lint/correctness/useYield: it fails before the first chunk
  async function* fail(): AsyncGenerator<Uint8Array> {
    throw new Error('connection reset')
  }
  await expect(readChunks(fail(), { bytesMax: 10, tooLarge })).rejects.toThrow('connection reset')
})
