import { describe, expect, test } from 'vitest'
import { type Abort, createAbort } from './create-abort.ts'

// Both ways: what holds for ours has to hold for Node's, in whose place it stands.
const kinds: readonly { readonly name: string; readonly create: () => Abort }[] = [
  { name: 'ours', create: createAbort },
  {
    name: 'of Node',
    create: () => {
      const controller = new AbortController()
      return { signal: controller.signal, abort: (...reason) => controller.abort(...reason) }
    },
  },
]

describe.each(kinds)('$name', ({ create }) => {
  test('default: everyone who listens is told once, in order', () => {
    const { signal, abort } = create()
    const told: string[] = []
    signal.addEventListener('abort', () => told.push('first'), { once: true })
    signal.addEventListener('abort', () => told.push(`second, ${String(signal.reason)}`))
    expect([signal.aborted, signal.reason]).toEqual([false, undefined])
    signal.throwIfAborted()
    abort('enough')
    abort('again')
    expect(told).toEqual(['first', 'second, enough'])
    expect([signal.aborted, signal.reason]).toEqual([true, 'enough'])
    expect(() => signal.throwIfAborted()).toThrow('enough')
  })

  test('behavior: who has left is not told, who came twice is told once, who comes late never', () => {
    const { signal, abort } = create()
    const told: string[] = []
    const leaver = () => told.push('leaver')
    const twice = () => told.push('twice')
    for (const listener of [leaver, twice, twice]) signal.addEventListener('abort', listener)
    signal.removeEventListener('abort', leaver)
    signal.removeEventListener('abort', () => undefined)
    abort()
    signal.addEventListener('abort', () => told.push('late'))
    abort()
    expect(told).toEqual(['twice'])
  })

  test('behavior: a listener may leave while all are told, and sees that it is over', () => {
    const { signal, abort } = create()
    const told: boolean[] = []
    const listener = () => {
      told.push(signal.aborted)
      signal.removeEventListener('abort', listener)
      abort('from within')
    }
    signal.addEventListener('abort', listener)
    signal.addEventListener('abort', () => told.push(signal.aborted))
    abort('from outside')
    expect(told).toEqual([true, true])
    expect(signal.reason).toBe('from outside')
  })

  test('behavior: without a reason it is an AbortError', () => {
    const { signal, abort } = create()
    abort()
    expect(signal.reason).toMatchObject({ name: 'AbortError' })
  })
})
