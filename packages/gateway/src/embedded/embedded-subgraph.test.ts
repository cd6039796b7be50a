import type { IndexHead } from '@tallystick/subgraph'
import { expect, test } from 'vitest'
import { createEmbeddedSubgraph } from './embedded-subgraph.ts'

const blockOf = (number: number): IndexHead => ({
  ...{ number, hash: `0x${number}`, parentHash: '0x', timestamp: number, revision: 0, fault: undefined },
})

/** Creates the subgraph of a replica on an index in memory, whose reads settle when the test says so. */
function createReplica() {
  const state = { nowMs: 5_000, isWriting: false, head: blockOf(1) as IndexHead | undefined }
  const reads: { readonly resolve: (block: IndexHead | undefined) => void; readonly reject: (error: Error) => void }[] =
    []
  const subgraph = {
    get head() {
      return state.head
    },
    readHead: async () => {
      const read = new Promise<IndexHead | undefined>((resolve, reject) => reads.push({ resolve, reject }))
      state.head = await read
      return state.head
    },
    answer: async () => ({ data: '{}', errors: undefined, failure: undefined, head: state.head }),
  }
  const follower = {
    get isWriting() {
      return state.isWriting
    },
  }
  const time = { monotonic: () => state.nowMs }
  return { state, reads, replica: createEmbeddedSubgraph(324, { subgraph, follower, time }) }
}

test('a replica that writes the index knows its head without a read', () => {
  const { state, reads, replica } = createReplica()
  state.isWriting = true
  expect(replica.currentHead()).toMatchObject({ number: 1 })
  state.head = blockOf(2)
  expect(replica.knownHead()).toMatchObject({ number: 2 })
  expect(reads).toHaveLength(0)
})

test('another replica uses a head until 100 ms after its read began', async () => {
  const { state, reads, replica } = createReplica()
  expect(replica.knownHead()).toBeUndefined()
  const first = replica.currentHead()
  state.nowMs += 60
  reads[0]?.resolve(blockOf(7))
  expect(await first).toMatchObject({ number: 7 })
  state.nowMs += 39.9
  expect(replica.knownHead()).toMatchObject({ number: 7 })
  expect(replica.currentHead()).toMatchObject({ number: 7 })
  expect(reads).toHaveLength(1)
  state.nowMs += 0.1
  expect(replica.knownHead()).toBeUndefined()
  const second = replica.currentHead()
  reads[1]?.resolve(blockOf(8))
  expect(await second).toMatchObject({ number: 8 })
})

test('requests that arrive together share a read', async () => {
  const { reads, replica } = createReplica()
  const heads = Promise.all([replica.currentHead(), replica.currentHead(), replica.currentHead()])
  reads[0]?.resolve(blockOf(3))
  expect((await heads).map((head) => head?.number)).toEqual([3, 3, 3])
  expect(reads).toHaveLength(1)
})

test('a read that takes more than 100 ms is not shared any more, and its result is not used again', async () => {
  const { state, reads, replica } = createReplica()
  const slow = replica.currentHead()
  state.nowMs += 99.9
  const shared = replica.currentHead()
  state.nowMs += 0.1
  const own = replica.currentHead()
  expect(reads).toHaveLength(2)
  reads[0]?.resolve(blockOf(3))
  expect(await slow).toMatchObject({ number: 3 })
  expect(await shared).toMatchObject({ number: 3 })
  expect(replica.knownHead()).toBeUndefined()
  reads[1]?.resolve(blockOf(4))
  expect(await own).toMatchObject({ number: 4 })
  expect(replica.knownHead()).toMatchObject({ number: 4 })
})

test('a failed read has no head, and the next request reads again', async () => {
  const { reads, replica } = createReplica()
  const failed = replica.currentHead()
  reads[0]?.reject(new Error('terminating connection'))
  expect(await failed).toBeUndefined()
  expect(replica.knownHead()).toBeUndefined()
  const next = replica.currentHead()
  reads[1]?.resolve(blockOf(4))
  expect(await next).toMatchObject({ number: 4 })
})

test('a block that a query saw meanwhile replaces the one that was read', async () => {
  const { state, reads, replica } = createReplica()
  const read = replica.currentHead()
  reads[0]?.resolve(blockOf(5))
  await read
  state.head = blockOf(6)
  expect(replica.knownHead()).toMatchObject({ number: 6 })
})

test('a replica that no longer writes the index reads its head', () => {
  const { state, reads, replica } = createReplica()
  state.isWriting = true
  expect(replica.knownHead()).toMatchObject({ number: 1 })
  state.isWriting = false
  expect(replica.knownHead()).toBeUndefined()
  void replica.currentHead()
  expect(reads).toHaveLength(1)
})
