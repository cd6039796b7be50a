import { readFileSync } from 'node:fs'
import { curveProvenanceSchema, provenanceBillSchema } from '@tallystick/core'
import { expect, test } from 'vitest'
import { feedFailures } from '../packages/issuer/src/treasury/feed-error.ts'
import { treasuryMetricHelp } from '../packages/issuer/src/treasury/treasury-metrics.ts'
import { viewCurve } from '../packages/service/src/admin/curve-report.ts'

const text = readFileSync(new URL('../docs/curve.md', import.meta.url), 'utf8')

/** Returns the members in the table after the given text. */
function membersAfter(words: string): string[] {
  const rows = (text.split(words)[1] as string).trimStart().split('\n\n')[0] as string
  return [...rows.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name as string)
}

test('default: the documented members of a curve are exactly those that exist', () => {
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
  expect(membersAfter('return a curve as')).toEqual(Object.keys(curve))
})

test('default: the documented members of a provenance and its bills are exactly those that exist', () => {
  expect(membersAfter('stored permanently, as')).toEqual(Object.keys(curveProvenanceSchema.shape))
  expect(membersAfter('each of its `bills` as')).toEqual(Object.keys(provenanceBillSchema.shape))
})

test('default: every failure and every metric is documented', () => {
  for (const name of [...feedFailures, ...Object.keys(treasuryMetricHelp)]) expect(text).toContain(`\`${name}`)
})
