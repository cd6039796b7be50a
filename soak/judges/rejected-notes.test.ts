import { describe, expect, test } from 'vitest'
import type { InjectedFault } from '../faults/fault.ts'
import { findRejectedNotes, isPoolRejecting } from './rejected-notes.ts'

const fault = (kind: InjectedFault['kind'], rest: Partial<InjectedFault> = {}): InjectedFault => ({
  kind,
  replicas: ['a', 'b'],
  variant: 0,
  startedMs: 10_000,
  ...rest,
})
const both = '[{"chainid":"300"},{"chainid":"324"}]'
const find = (sentMs: number, faults: readonly InjectedFault[], body = both) =>
  findRejectedNotes({ replica: 'a', sentMs }, { body, faults })

describe('notes that the pool rejects', () => {
  test('default: must be withheld 35 s after the signer changed, until it is back', () => {
    const changed = fault('signer-changed')
    expect(find(44_999, [changed])).toBe(undefined)
    expect(find(45_000, [changed])).toContain('another signer')
    expect(find(50_000, [{ ...changed, endedMs: 49_000 }])).toBe(undefined)
    expect(find(50_000, [{ ...changed, skipped: 'not here' }])).toBe(undefined)
  })

  test('behavior: in variant 1, only those of one chain', () => {
    const changed = fault('signer-changed', { variant: 1 })
    expect(find(50_000, [changed], '[{"chainid":"324"}]')).toBe(undefined)
    expect(find(50_000, [changed])).toContain('another signer')
  })

  test('behavior: a replica whose checks were disturbed has more time', () => {
    const changed = fault('signer-changed')
    const kill = fault('replica-kill', { replicas: ['a'], startedMs: 20_000, endedMs: 25_000 })
    expect(find(60_000, [changed, kill])).toBe(undefined)
    expect(find(60_001, [changed, kill])).toContain('another signer')
    const restore = fault('database-restore', { startedMs: 0 })
    expect(find(60_000, [changed, restore])).toContain('another signer')
    expect(find(60_000, [changed, { ...restore, variant: 1 }])).toBe(undefined)
    expect(find(60_000, [changed, { ...kill, replicas: ['b'] }])).toContain('another signer')
  })
})

test('default: a lend may fail while the signer or a role is another, and shortly before and after', () => {
  const faults = [fault('signer-changed', { endedMs: 20_000 }), fault('reorg', { startedMs: 50_000 })]
  const at = (fromMs: number) => isPoolRejecting(faults, { fromMs, toMs: fromMs + 100 })
  expect([7_000, 8_000, 15_000, 22_000, 22_001, 60_000].map(at)).toEqual([false, true, true, true, false, false])
  expect(isPoolRejecting([fault('role-revoked')], { fromMs: 99_000, toMs: 99_001 })).toBe(true)
})
