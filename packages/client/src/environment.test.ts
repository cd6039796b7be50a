import { afterEach, describe, expect, test } from 'vitest'
import { createEnvironment } from './environment.ts'

const browser = globalThis as { document?: unknown; addEventListener?: unknown; removeEventListener?: unknown }

describe('onWake', () => {
  afterEach(() => {
    delete browser.document
    delete browser.addEventListener
    delete browser.removeEventListener
  })

  /** Page with real event targets where a browser has them. */
  function openPage() {
    const window = new EventTarget()
    const document = Object.assign(new EventTarget(), { visibilityState: 'hidden' })
    browser.document = document
    browser.addEventListener = window.addEventListener.bind(window)
    browser.removeEventListener = window.removeEventListener.bind(window)
    return { window, document }
  }

  test('default: calls the listener when a tab or a page is shown and when the network is back', () => {
    const { window, document } = openPage()
    let count = 0
    const end = createEnvironment(undefined).onWake(() => count++)
    document.dispatchEvent(new Event('visibilitychange'))
    expect(count).toBe(0)
    document.visibilityState = 'visible'
    document.dispatchEvent(new Event('visibilitychange'))
    window.dispatchEvent(new Event('pageshow'))
    window.dispatchEvent(new Event('online'))
    expect(count).toBe(3)
    end()
    document.dispatchEvent(new Event('visibilitychange'))
    window.dispatchEvent(new Event('pageshow'))
    window.dispatchEvent(new Event('online'))
    expect(count).toBe(3)
  })

  test('behavior: does nothing without a document', () => {
    expect(createEnvironment(undefined).onWake(() => {})).not.toThrow()
  })
})

test('default: both clocks advance, and timers run and can be cancelled', async () => {
  const { clock, random } = createEnvironment(undefined)
  const startedAt = Date.now()
  const before = clock.read()
  const ran: string[] = []
  clock.clearTimeout(clock.setTimeout(() => ran.push('taken back'), 0))
  await new Promise<void>((resolve) => {
    clock.setTimeout(() => {
      ran.push('run')
      resolve()
    }, 5)
  })
  const after = clock.read()
  expect(ran).toEqual(['run'])
  expect(after.monotonic - before.monotonic).toBeGreaterThan(3)
  expect(after.wall).toBeGreaterThanOrEqual(startedAt)
  expect(after.wall).toBeLessThanOrEqual(Date.now())
  expect(random()).toBeLessThan(1)
})
