import { expect, test } from 'vitest'
import { drawCurve, sortedTenors } from './draw-curve.ts'

const now = { 7: 453, 14: 453, 30: 453, 60: 447, 90: 443, 180: 440, 360: 440 }
const next = { ...now, 30: 450, 180: 436, 360: 430 }

test('default: draws two curves', () => {
  expect(`\n${drawCurve({ now, next, columns: 80 })}\n`).toMatchInlineSnapshot(`
    "
      453 ┤     ◉·········◉·········●··
      450 ┤                         ○  ·····
      446 ┤                                 ··◉····
      443 ┤                                        ·····◉····
      440 ┤                                                  ·····●·········●
      437 ┤                                                       ○
      433 ┤
      430 ┤                                                                 ○
          └─────7─────────14────────30────────60────────90───────180───────360───
           bps by days:  ● now  ○ next  ◉ both
    "
  `)
})

test('default: draws one curve, or nothing without curves', () => {
  expect(`\n${drawCurve({ now, next: {}, columns: 50 })}\n`).toMatchInlineSnapshot(`
    "
      453 ┤   ●·····●·····●
      451 ┤                ··
      449 ┤                  ··
      447 ┤                    ·●·
      446 ┤                       ···
      444 ┤                          ·●·
      442 ┤                             ···
      440 ┤                                ·●·····●
          └───7─────14────30────60────90───180───360─
           bps by days:  ● now  ○ next  ◉ both
    "
  `)
  expect(drawCurve({ now: {}, next: {}, columns: 80 })).toBe('')
})

test('behavior: a flat curve is one line, a curve of one tenor one point', () => {
  expect(`\n${drawCurve({ now: { 7: 5, 14: 5 }, next: { 7: 5, 14: 5 }, columns: 80 })}\n`).toMatchInlineSnapshot(`
    "
      5 ┤      ◉···········◉
        └──────7───────────14────
         bps by days:  ● now  ○ next  ◉ both
    "
  `)
  expect(`\n${drawCurve({ now: { 7: 5 }, next: { 7: 6 }, columns: 80 })}\n`).toMatchInlineSnapshot(`
    "
      6 ┤      ○
      5 ┤      ●
        └──────7─────
         bps by days:  ● now  ○ next  ◉ both
    "
  `)
})

test.each([200, 120, 80, 60, 45])('behavior: the drawing is never wider than %i columns', (columns) => {
  const lines = drawCurve({ now, next, columns }).split('\n')
  expect(lines.length).toBeGreaterThan(3)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(columns)
})

test('behavior: nothing is drawn on a terminal that is too narrow', () => {
  expect(drawCurve({ now, next, columns: 30 })).toBe('')
  expect(drawCurve({ now, next, columns: 0 })).toBe('')
})

test('default: lists the tenors of several curves, ascending', () => {
  expect(sortedTenors({ 90: 1, 7: 1 }, { 14: 1, 7: 1 }, {})).toEqual(['7', '14', '90'])
})
