import { expect, test } from 'vitest'
import { findReusePortProblem } from './reuse-port.ts'

const onLinux = (version: string) => findReusePortProblem({ version, platform: 'linux' })

test.for(['v22.12.0', 'v22.23.1', 'v23.1.0', 'v24.0.0', 'v26.12.0'])('default: %s can', (version) => {
  expect(onLinux(version)).toBeUndefined()
})

test.for(['v20.20.2', 'v22.11.0', 'v22.2.0', 'v23.0.0', 'v21.7.3'])(
  'error: %s cannot, and the message says which can',
  (version) => {
    expect(onLinux(version)).toBe(`needs Node 22.12 or later. This is ${version}. Update Node, or remove it`)
  },
)

test('error: macOS and Windows do not distribute connections', () => {
  for (const platform of ['darwin', 'win32'] as const) {
    const problem = findReusePortProblem({ version: 'v24.0.0', platform })
    expect(problem).toMatch(/^cannot be used on (macOS|Windows)\. Give each replica a port of its own/)
  }
})
