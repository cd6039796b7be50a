import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepResults } from './keep-results.ts'
import type { Result } from './result.ts'

const rate: Result = { name: 'rate', value: 9, unit: 'req/s', baseline: 10, ratio: 0.9, spread: [0.8, 1.1] }
const other: Result = { ...rate, name: 'other' }

function createFile() {
  const directory = mkdtempSync(join(tmpdir(), 'bench-results-'))
  onTestFinished(() => rmSync(directory, { recursive: true }))
  const path = join(directory, 'results.json')
  return { path, read: (): Result[] => JSON.parse(readFileSync(path, 'utf8')) }
}

test('default: figures that were measured again are replaced, the others are kept', () => {
  const { path, read } = createFile()
  expect(keepResults(path, [rate, other], false)).toBe(true)
  expect(keepResults(path, [{ ...rate, ratio: 0.1 }], false)).toBe(true)
  expect(read()).toEqual([other, { ...rate, ratio: 0.1 }])
})

test('behavior: a compared run within the spread is kept', () => {
  const { path, read } = createFile()
  // Without results before there is nothing to compare.
  expect(keepResults(path, [rate, other], true)).toBe(true)
  expect(keepResults(path, [{ ...rate, ratio: 0.8 }], true)).toBe(true)
  expect(read()).toEqual([other, { ...rate, ratio: 0.8 }])
})

test('error: a fall is printed, and the results before are kept', () => {
  const { path, read } = createFile()
  const write = vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  onTestFinished(() => write.mockRestore())
  keepResults(path, [rate, other], false)
  expect(keepResults(path, [{ ...rate, ratio: 0.79 }, other], true)).toBe(false)
  expect(write.mock.calls.flat().join('')).toContain('| `rate` | 0.900 | 0.800 to 1.10 | 0.790 |')
  expect(read()).toEqual([rate, other])
})
