import type { Scalar } from '../../schema/entity-model.ts'
import { parseScalar } from '../../schema/parse-scalar.ts'
import { QueryError } from '../query-error.ts'
import { invalidArgument } from '../request/coerce-arguments.ts'
import type { Value } from '../request/value.ts'

/** Returns the text that PostgreSQL accepts for a coerced value. Throws a `QueryError` if there is none. */
export function decodeScalar(
  scalar: Scalar,
  { value, argument }: { readonly value: Value; readonly argument: string },
) {
  const parsed = parseScalar(scalar, textOf(value))
  if ('text' in parsed) return parsed.text
  if (scalar === 'Bytes' || scalar === 'BigInt' || scalar === 'BigDecimal' || scalar === 'Int8') {
    throw new QueryError(`Failed to decode \`${scalar}\` value: \`${parsed.fault}\``)
  }
  throw invalidArgument(argument, { value })
}

function textOf(value: Value): string {
  if ('text' in value) return value.text
  return value.kind === 'Boolean' ? String(value.value) : ''
}
