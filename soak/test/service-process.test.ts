import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createServiceProcess } from '../environment/service-process.ts'

test('behavior: a process counts from its start, not from its ready message', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-member-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const offsets = () => ({ clockMs: 0, trueMs: 0 })
  const urls = { baseUrl: 'https://localhost:1', adminUrl: 'http://localhost:1' }
  // Without a configuration it never becomes ready.
  const serviceProcess = createServiceProcess({
    name: 'a',
    directory,
    ...urls,
    env: {},
    onCrash: () => undefined,
    offsets,
  })
  expect(serviceProcess.runs).toBe(0)
  const starting = serviceProcess.start()
  // From here on the new process responds.
  expect([serviceProcess.runs, serviceProcess.isReady]).toEqual([1, false])
  await serviceProcess.end('SIGKILL')
  await starting
  expect(serviceProcess.isReady).toBe(false)
})
