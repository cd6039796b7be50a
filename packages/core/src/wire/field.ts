import type { z } from 'zod'

/** Documentation of a field. */
export type FieldNotes = {
  /** Full sentence. */
  readonly description: string
  /** Unit or kind of the value. */
  readonly unit: string
  /** Possible value. */
  readonly example: unknown
}

/**
 * Adds documentation to a schema. The OpenAPI document is generated from it. A test fails if a field has none.
 *
 * @example
 * field(z.string(), { description: 'Coupon.', unit: 'basis points per 360-day year', example: '401' })
 */
export function field<Schema extends z.ZodType>(schema: Schema, { description, unit, example }: FieldNotes): Schema {
  // The unit is also part of the description: some tools show nothing else.
  return schema.meta({ description: `${description} [${unit}]`, 'x-unit': unit, examples: [example] })
}
