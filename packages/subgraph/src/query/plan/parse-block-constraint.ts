import { parseScalar } from '../../schema/parse-scalar.ts'
import { invalidArgument } from '../request/coerce-arguments.ts'
import type { Value } from '../request/value.ts'

export type BlockConstraint =
  | { readonly kind: 'latest' }
  | { readonly kind: 'hash'; readonly hash: string }
  | { readonly kind: 'number' | 'number_gte'; readonly number: number }

/** Parses a `block` argument. `hash` takes precedence over `number`, and `number` over `number_gte`. */
export function parseBlockConstraint(value: Value): BlockConstraint {
  if (value.kind !== 'Object') return { kind: 'latest' }
  const hash = value.entries.get('hash')
  if (hash) {
    const parsed = hash.kind === 'String' ? parseScalar('Bytes', hash.text) : { fault: 'null' }
    if ('fault' in parsed) throw invalidArgument('block', { value })
    return { kind: 'hash', hash: `0x${parsed.text.slice(2)}` }
  }
  for (const kind of ['number', 'number_gte'] as const) {
    const number = value.entries.get(kind)
    if (number?.kind === 'Int') return { kind, number: Number(number.text) }
    if (number) break
  }
  throw invalidArgument('block', { value })
}
