import { expect, test } from 'vitest'
import { hasCode } from './validate-notes.ts'

const address = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
const answering = (code: unknown) => ({ label: 'node', call: async () => code, callMany: async () => [] })

test.each([
  ['0x', false],
  ['0x6001', true],
])('default: code %j: %j', async (code, expected) => {
  expect(await hasCode(answering(code), address)).toBe(expected)
})

test.each([null, true, '', 'no code', {}])('error: code %j is malformed, not missing', async (code) => {
  await expect(hasCode(answering(code), address)).rejects.toMatchObject({ name: 'RpcError', kind: 'malformed' })
})
