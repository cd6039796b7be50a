import { z } from 'zod'
import { errorCodes } from '../error/tallystick-error.ts'
import { field } from './field.ts'

/** Response body of every error (DESIGN.md §2.1). */
export const errorBodySchema = z.strictObject({
  message: field(z.string(), {
    description: 'What failed, with which value, and what to do. The wording may change at any time.',
    unit: 'human-readable text',
    example: 'chainid "325" is not supported. Supported: 324. Omit it for all chains.',
  }),
  code: field(z.enum(errorCodes), {
    description: 'Machine-readable reason. The meaning of a code never changes.',
    unit: 'error code',
    example: 'invalid_chainid',
  }),
  requestId: field(z.string(), {
    description: 'Same as the `x-request-id` header. Quote it when you contact the operator.',
    unit: 'opaque id',
    example: '9f2c41d07ab3-1x',
  }),
  details: field(z.record(z.string(), z.unknown()).optional(), {
    description: 'Details of this failure, by code.',
    unit: 'object',
    example: { supported: [324] },
  }),
})
/** Response body of an error. */
export type ErrorBody = z.infer<typeof errorBodySchema>
