import { expect, test } from 'vitest'
import { toReadiness } from './find-service.ts'

test('default: the findings of a service are taken as they are', () => {
  const readiness = { ready: true, findings: [{ subject: 'clock', severity: 'ok', message: 'fine' }] } as const
  expect(toReadiness(readiness)).toBe(readiness)
})

test('behavior: the checks of a service of 0.1.0 become findings', () => {
  const checks = [
    { name: 'clock', ok: true, detail: 'fine', required: true },
    { name: 'notes of chain 324', ok: false, detail: 'no notes', required: true },
    { name: 'webhooks', ok: false, detail: 'switched off: hook_1', required: false },
  ]
  expect(toReadiness({ ready: false, checks })).toEqual({
    ready: false,
    findings: [
      { subject: 'clock', severity: 'ok', message: 'fine' },
      { subject: 'notes of chain 324', severity: 'unready', message: 'no notes' },
      { subject: 'webhooks', severity: 'warn', message: 'switched off: hook_1' },
    ],
  })
})
