import type { z } from 'zod'

/** What is published of a field beside its form. */
export type FieldNotes = {
  /** In words, a full sentence. */
  readonly description: string
  /** What its value counts or holds. */
  readonly unit: string
  /** A value it can have. */
  readonly example: unknown
}

/**
 * A schema with what its readers need to know. The OpenAPI document is made from these; a field without them does not
 * compile where this is used, and fails a test where it is not.
 *
 * @example
 * field(z.string(), { description: 'Coupon.', unit: 'basis points per 360-day year', example: '401' })
 */
export function field<Schema extends z.ZodType>(schema: Schema, { description, unit, example }: FieldNotes): Schema {
  // In brackets behind the words too, for tools that show nothing but those.
  return schema.meta({ description: `${description} [${unit}]`, 'x-unit': unit, examples: [example] })
}
