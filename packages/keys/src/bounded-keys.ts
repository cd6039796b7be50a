import type { RingKey } from './key-snapshot.ts'

type CountedKey = Pick<RingKey, 'id' | 'uses'>

/**
 * Creates a function that lists at most `max` keys and the sum of the others as "other". A listed key stays listed, and
 * one that was counted as other stays there, so that no counter ever decreases.
 */
export function createBoundedKeys(max: number): (keys: readonly CountedKey[]) => readonly CountedKey[] {
  const listed = new Set<string>()
  const others = new Map<string, CountedKey>()
  return (keys) => {
    const inForce = new Set(keys.map(({ id }) => id))
    for (const id of listed) if (!inForce.has(id)) listed.delete(id)
    const fresh = keys.filter(({ id }) => !listed.has(id) && !others.has(id))
    for (const key of fresh.toSorted((a, b) => countOf(b) - countOf(a))) {
      if (listed.size < max) listed.add(key.id)
      else others.set(key.id, key)
    }
    const shown = keys.filter(({ id }) => listed.has(id))
    return others.size === 0 ? shown : [...shown, { id: 'other', uses: sumUses([...others.values()]) }]
  }
}

function countOf({ uses }: CountedKey): number {
  return uses.notes + uses.data + uses.rate
}

function sumUses(keys: readonly CountedKey[]): CountedKey['uses'] {
  const sum = { notes: 0, data: 0, rate: 0 }
  for (const { uses } of keys) {
    sum.notes += uses.notes
    sum.data += uses.data
    sum.rate += uses.rate
  }
  return sum
}
