const cent = 10n ** 16n

/** Amount in the token's smallest unit, and the whole cents that the page shows for it. */
export type Amount = { readonly exact: bigint; readonly cents: bigint }

/** Returns whole cents, rounded down: a negative amount is rounded away from zero. */
export function floorCents(amount: bigint): bigint {
  const cents = amount / cent
  return amount < 0n && cents * cent !== amount ? cents - 1n : cents
}

/**
 * Returns the parts of a sum as they are shown. The sum is rounded down once, and the parts add up to it: the parts with
 * the largest remainders are rounded up, all others down.
 *
 * @example
 * splitCents([88_208n * 10n ** 15n, 330_217n * 10n ** 15n]).map(({ cents }) => cents) // [8821n, 33021n], which is 418.42
 */
export function splitCents(parts: readonly bigint[]): readonly Amount[] {
  const floors = parts.map(floorCents)
  const remainders = parts.map((exact, index) => exact - (floors[index] as bigint) * cent)
  const missing = Number(floorCents(addUp(parts)) - addUp(floors))
  const raised = new Set(
    parts
      .map((_, index) => index)
      .toSorted((a, b) => Number((remainders[b] as bigint) - (remainders[a] as bigint)))
      .slice(0, missing),
  )
  return parts.map((exact, index) => ({ exact, cents: (floors[index] as bigint) + (raised.has(index) ? 1n : 0n) }))
}

/** Returns the sum of amounts. What it shows is the sum of what they show. */
export function sumAmounts(amounts: readonly Amount[]): Amount {
  return { exact: addUp(amounts.map(({ exact }) => exact)), cents: addUp(amounts.map(({ cents }) => cents)) }
}

/** Returns an amount of which a part was deducted, as a positive amount, or the other way round. */
export function negate({ exact, cents }: Amount): Amount {
  return { exact: -exact, cents: -cents }
}

/**
 * Formats cents as dollars.
 *
 * @example
 * formatCents(123_456n) // '1,234.56'
 */
export function formatCents(cents: bigint): string {
  const size = cents < 0n ? -cents : cents
  return `${cents < 0n ? '−' : ''}${(size / 100n).toLocaleString('en-US')}.${String(size % 100n).padStart(2, '0')}`
}

function addUp(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}
