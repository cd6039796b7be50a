import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createMember } from './member.ts'

test('behavior: a process counts from its start on, not from when it is heard to be ready', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'tallystick-member-'))
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
  const offsets = () => ({ clockMs: 0, trueMs: 0 })
  const urls = { baseUrl: 'https://localhost:1', adminUrl: 'http://localhost:1' }
  // Without a configuration there, so it never gets ready.
  const member = createMember({ name: 'a', directory, ...urls, env: {}, onCrash: () => undefined, offsets })
  expect(member.runs).toBe(0)
  const starting = member.start()
  // What is answered from here on is answered by the new process, whose allowances are new.
  expect([member.runs, member.isReady]).toEqual([1, false])
  await member.end('SIGKILL')
  await starting
  expect(member.isReady).toBe(false)
})
