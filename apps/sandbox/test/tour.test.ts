import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, test } from 'vitest'
import { newDirectory, root, startSandbox } from './start-sandbox.ts'

test('default: the tour runs as the README prints it, and what was predicted is what was paid', {
  timeout: 240_000,
}, async () => {
  const dir = await newDirectory()
  const sandbox = await startSandbox('--dir', dir)
  const tour = spawn('npm', ['run', '--silent', 'tour', '--', '--dir', dir], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const chunks: string[] = []
  for (const stream of [tour.stdout, tour.stderr]) stream.on('data', (chunk) => chunks.push(String(chunk)))
  const [code] = await once(tour, 'close')
  const output = chunks.join('')
  expect([code, output]).toEqual([0, expect.stringContaining('equal, to the last of eighteen decimals.')])
  const [, predicted, paid] = /predicted (\d+)\n *paid +(\d+)\n/.exec(output) ?? []
  expect(BigInt(predicted ?? 0)).toBeGreaterThan(0n)
  expect(paid).toBe(predicted)
  expect(sandbox.output()).toMatch(/the chain was moved to \S+, and the service with it/)
  await sandbox.stop()
})
