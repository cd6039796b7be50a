import { readFileSync } from 'node:fs'
import { errorBodySchema, errorCodes } from '@tallystick/core'
import { describe, expect, test } from 'vitest'
import { statusOf } from '../packages/http/src/response/errors.ts'

const text = readFileSync(new URL('../docs/errors.md', import.meta.url), 'utf8')
const [introduction = '', ...sections] = text.split(/^## /m)
const documented = sections.map((section) => ({
  code: /^`(\w+)`\n/.exec(section)?.[1],
  status: Number(/^- Status: (\d{3})\b/m.exec(section)?.[1]),
  section,
}))

test('default: the headings are exactly the error codes, in their order', () => {
  expect(documented.map(({ code }) => code)).toEqual([...errorCodes])
})

describe('behavior: each code has its status, whether it is retryable, its cause and a fix', () => {
  test.each(errorCodes)('%s', (code) => {
    const entry = documented.find((candidate) => candidate.code === code)
    expect(entry?.status).toBe(statusOf(code))
    expect(entry?.section).toMatch(/^- Status: .*Retryable: (yes|no)\.\n- When: \S.*\n- Do: \S/ms)
  })
})

test('behavior: the example of the introduction is an error body', () => {
  const example = /```json\n(.*?)```/s.exec(introduction)?.[1] ?? ''
  expect(errorBodySchema.parse(JSON.parse(example)).code).toBe('invalid_chainid')
})
