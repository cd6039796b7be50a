import { z } from 'zod'
import { detailsField, errorCodeField, field, textField } from './fields.ts'

/** Response body of every error (DESIGN.md §2.1). */
export const errorBodySchema = z.strictObject({
  message: textField(
    'What failed, with which value, and what to do. The wording may change at any time.',
    'chainid "325" is not supported. Supported: 324. Omit it for all chains.',
  ),
  code: errorCodeField('Machine-readable reason. The meaning of a code never changes.', 'invalid_chainid'),
  requestId: field(z.string(), {
    description: 'Same as the `x-request-id` header. Quote it when you contact the operator.',
    unit: 'opaque id',
    example: '9f2c41d07ab3-1x',
  }),
  details: detailsField('Details of this failure, by code.', { supported: [324] }),
})
/** Response body of an error. */
export type ErrorBody = z.infer<typeof errorBodySchema>
