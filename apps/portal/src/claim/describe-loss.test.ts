import { expect, test } from 'vitest'
import { describeLoss } from './describe-loss.ts'

test.each([
  [71n * 10n ** 15n, 'about $0.08'],
  [7n * 10n ** 16n, 'about $0.07'],
  [1n, 'about $0.01'],
  [1_234_567n * 10n ** 16n, 'about $12,345.67'],
])('default: a loss of %s is %s', (missingIncome, text) => {
  expect(describeLoss({ missingIncome, lastReportedDay: 20_500n })).toBe(text)
})

test.each([
  ['no day is reported', 0n, 0n],
  ['the last reported day earned nothing', 0n, 20_500n],
])('behavior: if %s, the loss is not known', (_, missingIncome, lastReportedDay) => {
  expect(describeLoss({ missingIncome, lastReportedDay })).toBe('an unknown part of the income')
})
