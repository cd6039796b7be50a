import { z } from 'zod'
import { errorCodes } from '../error/tallystick-error.ts'
import { field } from './field.ts'

/** The body of every answer that is not a success (DESIGN.md §2.1). */
export const errorBodySchema = z.strictObject({
  message: field(z.string(), {
    description: 'What failed, with which value, and what to do. It may be reworded at any time.',
    unit: 'text for people',
    example: 'chainid "325" is not supported. Supported: 324. Omit it for all chains.',
  }),
  code: field(z.enum(errorCodes), {
    description: 'What failed, for programs. A code does not change its meaning.',
    unit: 'error code',
    example: 'invalid_chainid',
  }),
  requestId: field(z.string(), {
    description: 'The same as the `x-request-id` header. Quote it when you ask the operator for help.',
    unit: 'opaque id',
    example: '9f2c41d07ab3-1x',
  }),
  details: field(z.record(z.string(), z.unknown()).optional(), {
    description: 'Facts of this failure, by code.',
    unit: 'object',
    example: { supported: [324] },
  }),
})
export type ErrorBody = z.infer<typeof errorBodySchema>
