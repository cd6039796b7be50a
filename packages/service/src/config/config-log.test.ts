import { createLogKeyText } from '@tallystick/public-log'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { logSchema } from './config-log.ts'

const origin = 'notes.example/log'

test.each([
  ['', 'is not the key of a log'],
  ['PRIVATE+KEY+a+00000000+AQ==', 'is not the key of a log'],
  [createLogKeyText('other.example/log'), 'is the key of the log other.example/log, not of notes.example/log'],
])('error: a configured key %j', async (key, message) => {
  const sources = { env: {}, secrets: 'required', baseDirectory: '/' } as const
  const secret = z.string().transform((text) => ({ reveal: () => text }))
  const result = logSchema(sources, { path: z.string(), secret }).safeParse({ origin, key })
  expect(result.error?.issues[0]).toMatchObject({ path: ['key'], message: expect.stringContaining(message) })
})
