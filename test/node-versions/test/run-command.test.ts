import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { runCommand } from '../run-command.ts'

test('behavior: a command that takes too long is killed with the processes it started', async () => {
  const argv = ['sh', '-c', 'echo begun; sleep 30 & wait'] as const
  const result = await runCommand({ argv: [...argv], cwd: tmpdir(), env: process.env, timeoutMs: 500 })
  expect(result).toMatchObject({ output: 'begun\n', failure: 'killed after 0.5 s' })
  // The output closes only when all processes have ended, including `sleep`.
  expect(result.seconds).toBeLessThan(20)
})

test('error: reports a command that fails or does not exist', async () => {
  const command = { cwd: tmpdir(), env: process.env, timeoutMs: 10_000 }
  expect((await runCommand({ ...command, argv: ['sh', '-c', 'exit 3'] })).failure).toBe('ended with code 3')
  expect((await runCommand({ ...command, argv: ['no-such-command'] })).failure).toContain('ENOENT')
})
