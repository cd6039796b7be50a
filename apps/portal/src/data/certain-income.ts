import type { ExpectedIncome } from '@tallystick/client'
import { type Amount, floorCents, negate, splitCents, sumAmounts } from '@tallystick/ui'

const stepSeconds = 300

/**
 * Returns the last second of a lend for which the page states the income: five to ten minutes ahead, so that the digits rest
 * and a visitor has time to confirm, and never after the note. A lend that is mined earlier earns more, one mined later less.
 *
 * @example
 * lendDeadline(1794609000, 1794610800n) // 1794609600n: at 17:30:00, a lend by 17:40:00 New York
 */
export function lendDeadline(now: number, validBefore: bigint): bigint {
  const deadline = BigInt((Math.floor(now / stepSeconds) + 2) * stepSeconds)
  // The pool excludes the end of the window.
  return deadline < validBefore ? deadline : validBefore - 1n
}

/**
 * Returns the parts of a payment as they are shown. Principal and fixed income are certain, and therefore rounded down, each
 * on its own. The estimates are rounded so that all parts add up to the total, which is never more than the exact one.
 */
export function roundIncome(principal: bigint, { fixed, floating, fee }: IncomeParts) {
  const [certainPrincipal, certainFixed] = [floorAmount(principal), floorAmount(fixed)]
  const [estimated, deducted] = splitCents([floating, -fee]) as [Amount, Amount]
  return {
    principal: certainPrincipal,
    fixed: certainFixed,
    floating: estimated,
    fee: negate(deducted),
    total: sumAmounts([certainPrincipal, certainFixed, estimated, deducted]),
  }
}

type IncomeParts = Pick<ExpectedIncome, 'fixed' | 'floating' | 'fee'>

function floorAmount(exact: bigint): Amount {
  return { exact, cents: floorCents(exact) }
}
