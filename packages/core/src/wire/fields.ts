import { z } from 'zod'
import { errorCodes } from '../error/tallystick-error.ts'

/** Unix seconds up to 2^64, as a string: not every language has 64-bit integers. */
const secondsForm = z.string().regex(/^\d{1,20}$/, 'must be Unix seconds as a decimal string')
/** Basis points up to 2^256, as on the chain, as a string. */
export const bpsForm = z.string().regex(/^\d{1,78}$/, 'must be basis points as a decimal string')
/** Chain id in responses. */
export const chainIdForm = z.string().regex(/^[1-9]\d{0,15}$/, 'must be a chain id as a decimal string')
/** Chain id in `/data`, where the specification uses numbers. */
export const chainNumberForm = z.int().positive()
const addressForm = z.string().regex(/^0x[0-9a-fA-F]{40}$/, 'must be an address: 0x and 40 hex digits')

const bpsUnit = 'basis points per 360-day year'
const addressUnit = 'address with EIP-55 checksum'

// The forms and units that several fields have.
export const textField = createField(z.string(), 'human-readable text')
export const flagField = createField(z.boolean(), 'true or false')
export const dateField = createField(z.iso.date(), 'date')
export const secondsField = createField(secondsForm, 'Unix seconds')
export const bpsField = createField(bpsForm, bpsUnit)
export const nullableBpsField = createField(bpsForm.nullable(), bpsUnit)
export const chainIdField = createField(chainIdForm, 'chain id')
export const chainNumberField = createField(chainNumberForm, 'chain id')
export const addressField = createField(addressForm, addressUnit)
export const nullableAddressField = createField(addressForm.nullable(), addressUnit)
export const tenorField = createField(z.int().positive(), 'days')
export const tenorsField = createField(z.array(z.int().positive()), 'days')
export const signedTextField = createField(z.string().min(1), 'text, as signed')
export const queryField = createField(z.string(), 'GraphQL text')
export const operationNameField = createField(z.string().nullish(), 'name in `query`')
export const errorCodeField = createField(z.enum(errorCodes), 'error code')
export const detailsField = createField(z.record(z.string(), z.unknown()).optional(), 'object')

/** Creates the function that documents fields of one form and unit. */
export function createField<Schema extends z.ZodType>(schema: Schema, unit: string) {
  return (description: string, example: unknown): Schema => field(schema, { description, unit, example })
}

/** Documentation of a field. */
type FieldNotes = {
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
