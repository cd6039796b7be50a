import { refusal } from '@tallystick/http'
import { z } from 'zod'

/** Text without control characters, which break tables and which the database rejects. */
export const printable = z.string().regex(/^\P{Cc}*$/u, 'must not contain control characters')

/** Parses the body of an operator's request. Throws an error with `code` that lists every fault. */
export function parseRequest<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  code: 'invalid_key_request' | 'invalid_curve' | 'invalid_hook' | 'invalid_parameter',
): z.output<Schema> {
  const result = schema.safeParse(value)
  if (result.success) return result.data
  const faults = result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`)
  throw refusal(code, `Nothing was changed: ${faults.join('; ')}.`)
}
