import { describe, expect, test } from 'vitest'
import { type Abort, createAbort } from './create-abort.ts'

// The same tests run on Node's AbortController, which createAbort replaces.
const kinds: readonly { readonly name: string; readonly create: () => Abort }[] = [
  { name: 'createAbort', create: createAbort },
  {
    name: 'AbortController',
    create: () => {
      const controller = new AbortController()
      return { signal: controller.signal, abort: (...reason) => controller.abort(...reason) }
    },
  },
]

describe.each(kinds)('$name', ({ create }) => {
  test('default: each listener is called once, in order', () => {
    const { signal, abort } = create()
    const calls: string[] = []
    signal.addEventListener('abort', () => calls.push('first'), { once: true })
    signal.addEventListener('abort', () => calls.push(`second, ${String(signal.reason)}`))
    expect([signal.aborted, signal.reason]).toEqual([false, undefined])
    signal.throwIfAborted()
    abort('enough')
    abort('again')
    expect(calls).toEqual(['first', 'second, enough'])
    expect([signal.aborted, signal.reason]).toEqual([true, 'enough'])
    expect(() => signal.throwIfAborted()).toThrow('enough')
  })

  test('behavior: a removed listener is not called, one added twice is called once, one added after the abort never', () => {
    const { signal, abort } = create()
    const calls: string[] = []
    const removed = () => calls.push('removed')
    const twice = () => calls.push('twice')
    for (const listener of [removed, twice, twice]) signal.addEventListener('abort', listener)
    signal.removeEventListener('abort', removed)
    signal.removeEventListener('abort', () => undefined)
    abort()
    signal.addEventListener('abort', () => calls.push('late'))
    abort()
    expect(calls).toEqual(['twice'])
  })

  test('behavior: a listener may remove itself while the listeners are called', () => {
    const { signal, abort } = create()
    const calls: boolean[] = []
    const listener = () => {
      calls.push(signal.aborted)
      signal.removeEventListener('abort', listener)
      abort('from within')
    }
    signal.addEventListener('abort', listener)
    signal.addEventListener('abort', () => calls.push(signal.aborted))
    abort('from outside')
    expect(calls).toEqual([true, true])
    expect(signal.reason).toBe('from outside')
  })

  test('behavior: the default reason is an AbortError', () => {
    const { signal, abort } = create()
    abort()
    expect(signal.reason).toMatchObject({ name: 'AbortError' })
  })
})
