import { expect, test } from 'vitest'
import type { Readiness } from '../clients/admin.ts'
import { findContradiction } from './watch-readiness.ts'

const away = { subject: 'PostgreSQL', severity: 'fail', message: 'ill' } as const
const ready: Readiness = { ready: true, findings: [away] }
const unready = (subject: string): Readiness => ({
  ready: false,
  findings: [{ subject, severity: 'unready', message: 'ill' }, away],
})
const served = { status: 200, body: '{}' }
const missing = { status: 500, body: '{"code":"notes_unavailable"}' }

test('default: a replica that agrees with itself is no violation', () => {
  expect(findContradiction({ before: ready, notes: served, after: ready })).toBeUndefined()
  expect(findContradiction({ before: unready('clock'), notes: missing, after: unready('clock') })).toBeUndefined()
})

test('error: a replica that leaves the balancer while it could serve', () => {
  const database = unready('database')
  expect(findContradiction({ before: database, notes: served, after: database })).toBe(
    'is not ready although it serves notes (database: ill; database: ill)',
  )
})

test('error: a replica that stays although it cannot serve', () => {
  expect(findContradiction({ before: ready, notes: missing, after: ready })).toBe('is ready although it has no notes')
})

test.each(['public listener', 'signed notes', 'public log'])('behavior: %s ends readiness before the notes', (name) => {
  expect(findContradiction({ before: unready(name), notes: served, after: unready(name) })).toBeUndefined()
})

test('behavior: a change during the probe, a process that is away and withheld notes say nothing', () => {
  const withheld = { ...missing, body: '{"details":{"withheld":[]}}' }
  expect(findContradiction({ before: ready, notes: missing, after: unready('clock') })).toBeUndefined()
  expect(findContradiction({ before: unready('clock'), notes: served, after: ready })).toBeUndefined()
  expect(findContradiction({ before: ready, notes: undefined, after: ready })).toBeUndefined()
  expect(findContradiction({ before: undefined, notes: served, after: unready('clock') })).toBeUndefined()
  expect(findContradiction({ before: ready, notes: withheld, after: ready })).toBeUndefined()
})
