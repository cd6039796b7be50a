import { once } from 'node:events'
import { expect, test } from 'vitest'
import { processesOf } from './devnet-client.ts'
import { newDirectory, startSandbox } from './start-sandbox.ts'

test('default: a signal to npm alone ends the sandbox gracefully, and no process is left', {
  timeout: 240_000,
}, async () => {
  const dir = await newDirectory()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    const { child, output } = await startSandbox('--dir', dir, '--positions', '1')
    expect(processesOf(dir).length).toBeGreaterThan(1)
    // Resolves when the last process with the output of npm has ended.
    const closed = once(child, 'close')
    child.kill(signal)
    expect(await closed).toEqual([0, null])
    expect(output()).toContain(`${signal}: shutting down gracefully`)
    expect(processesOf(dir)).toEqual([])
  }
})
