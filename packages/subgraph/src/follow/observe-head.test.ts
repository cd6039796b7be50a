import type { RpcPool } from '@tallystick/chain'
import { expect, onTestFinished, test, vi } from 'vitest'
import { createHeadObserver } from './observe-head.ts'

test('behavior: the head is read every 5 s, whatever the system clock does', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  let nowMs = 0
  let reads = 0
  const run = (async () => ({ number: ++reads })) as unknown as RpcPool['run']
  const progress = { chainHead: undefined }
  const observe = createHeadObserver({ pool: { run }, progress, time: { monotonic: () => nowMs } })
  observe()
  await vi.waitUntil(() => progress.chainHead)
  vi.setSystemTime(Date.now() - 3_600_000)
  nowMs += 4_999
  observe()
  expect(reads).toBe(1)
  nowMs += 1
  observe()
  expect(reads).toBe(2)
})
