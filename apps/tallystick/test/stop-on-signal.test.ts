import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'

/** Starts a process that would take forever to stop gracefully. Resolves when it handles signals. */
async function startSlow() {
  const module = new URL('../../../packages/service/src/stop-on-signal.ts', import.meta.url)
  const script = `
    import { stopOnSignal } from '${module.href}'
    stopOnSignal({ stop: () => new Promise(() => undefined) }, { say: (line) => console.log(line) })
    setInterval(() => undefined, 60_000)
    console.log('started')`
  const child = spawn(process.execPath, ['--conditions=src', '--import', 'tsx', '--input-type=module', '-e', script])
  onTestFinished(() => void child.kill('SIGKILL'))
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += String(chunk)
  })
  await expect.poll(() => said).toBe('started\n')
  return { child, output: () => said }
}

test.each(['SIGTERM', 'SIGHUP'] as const)('default: %s shuts down gracefully', async (signal) => {
  const { child, output } = await startSlow()
  child.kill(signal)
  await expect.poll(output).toContain(`${signal}: shutting down gracefully`)
  expect([child.exitCode, child.signalCode]).toEqual([null, null])
})

test('default: a signal repeated at once is ignored, and a later one exits immediately', async () => {
  const { child, output } = await startSlow()
  const exited = once(child, 'exit')
  const sentAt = performance.now()
  child.kill('SIGINT')
  await expect.poll(output).toContain('SIGINT: shutting down gracefully')
  await expect
    .poll(() => {
      child.kill('SIGINT')
      return child.exitCode
    })
    .toBe(1)
  expect(await exited).toEqual([1, null])
  expect(performance.now() - sentAt).toBeGreaterThan(1_000)
  expect(output().match(/shutting down/g)).toHaveLength(1)
})
