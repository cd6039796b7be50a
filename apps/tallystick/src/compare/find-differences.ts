/** Place in a result at which two sources differ, with both values as shortened JSON. */
export type ValueDifference = { readonly path: string; readonly values: readonly [string, string] }

const valueLengthMax = 200
const differencesMax = 20

/** Lists the places at which two JSON values differ, at most 20. The order of lists counts, that of members does not. */
export function findDifferences(a: unknown, b: unknown): readonly ValueDifference[] {
  const found: ValueDifference[] = []
  visit({ a, b, path: 'data', found })
  return found
}

type Visit = { readonly a: unknown; readonly b: unknown; readonly path: string; readonly found: ValueDifference[] }

function visit({ a, b, path, found }: Visit): void {
  if (found.length >= differencesMax || Object.is(a, b)) return
  if (Array.isArray(a) && Array.isArray(b)) {
    if (a.length !== b.length) add({ a: a.length, b: b.length, path: `${path}.length`, found })
    for (let index = 0; index < Math.min(a.length, b.length); index += 1) {
      visit({ a: a[index], b: b[index], path: `${path}[${index}]`, found })
    }
    return
  }
  if (isObject(a) && isObject(b)) {
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) {
      visit({ a: own(a, key), b: own(b, key), path: `${path}.${key.slice(0, 100)}`, found })
    }
    return
  }
  add({ a, b, path, found })
}

function add({ a, b, path, found }: Visit): void {
  if (found.length < differencesMax) found.push({ path, values: [show(a), show(b)] })
}

function show(value: unknown): string {
  const text = value === undefined ? 'missing' : JSON.stringify(value)
  return text.length > valueLengthMax ? `${text.slice(0, valueLengthMax - 1)}…` : text
}

function own(value: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(value, key) ? value[key] : undefined
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
