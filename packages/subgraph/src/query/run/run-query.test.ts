import { createAbort } from '@tallystick/base'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startDeadline } from './run-query.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

test('default: the signal is aborted at the deadline', () => {
  const { signal, deadlineMs } = startDeadline(3_000, undefined)
  expect(deadlineMs).toBe(performance.now() + 3_000)
  vi.advanceTimersByTime(2_999)
  expect(signal.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(signal.aborted).toBe(true)
})

test('behavior: the caller’s signal aborts it, before or later', () => {
  const outer = createAbort()
  const during = startDeadline(3_000, outer.signal)
  expect(during.signal.aborted).toBe(false)
  outer.abort()
  expect(during.signal.aborted).toBe(true)
  expect(startDeadline(3_000, outer.signal).signal.aborted).toBe(true)
})

test('behavior: after stop it has no timer, and no listener on the caller’s signal', () => {
  const controller = new AbortController()
  const { signal, stop } = startDeadline(3_000, controller.signal)
  stop()
  expect(vi.getTimerCount()).toBe(0)
  controller.abort()
  expect(signal.aborted).toBe(false)
})
