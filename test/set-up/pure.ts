import { afterEach, expect } from 'vitest'
import { refuseImpure, takeRefused } from './refuse-impure.ts'

// A set-up file runs once per test file, in a worker that runs many.
const installed = Symbol.for('tallystick.refuseImpure')
if (!Reflect.has(globalThis, installed)) {
  Reflect.set(globalThis, installed, true)
  refuseImpure()
}

afterEach(() => {
  const problems = takeRefused()
  if (problems.length > 0) expect.fail(problems.join('\n'))
})
