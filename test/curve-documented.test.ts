import { readFileSync } from 'node:fs'
import { curveProvenanceSchema, provenanceBillSchema } from '@tallystick/core'
import { expect, test } from 'vitest'
import { viewCurve } from '../apps/api/src/admin/curve-report.ts'
import { feedFailures } from '../apps/api/src/notes/treasury/feed-error.ts'
import { treasuryMetricHelp } from '../apps/api/src/notes/treasury/treasury-metrics.ts'

const text = readFileSync(new URL('../docs/curve.md', import.meta.url), 'utf8')

/** The members a table of the page explains, by the words before it. */
function membersAfter(words: string): string[] {
  const rows = (text.split(words)[1] as string).trimStart().split('\n\n')[0] as string
  return [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name as string)
}

test('default: every field of a curve is explained, and none that is not there', () => {
  const curve = viewCurve({
    id: 1n,
    chainId: null,
    effectiveFrom: 0n,
    points: {},
    confirmed: false,
    source: 'manual',
    provenance: null,
    createdBy: '',
    createdAt: 0n,
  })
  expect(membersAfter('give a curve as')).toEqual(Object.keys(curve))
})

test('default: every field of a provenance and its bills is explained, and none that is not there', () => {
  expect(membersAfter('for good, as')).toEqual(Object.keys(curveProvenanceSchema.shape))
  expect(membersAfter('each of its `bills` as')).toEqual(Object.keys(provenanceBillSchema.shape))
})

test('default: every way to fail and every metric is explained', () => {
  for (const name of [...feedFailures, ...Object.keys(treasuryMetricHelp)]) expect(text).toContain(`\`${name}`)
})
