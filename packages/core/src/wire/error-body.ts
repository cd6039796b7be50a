import { z } from 'zod'
import { errorCodes } from '../error/tallystick-error.ts'

/** The body of every answer that is not a success (DESIGN.md §2.1). */
export const errorBodySchema = z.strictObject({
  message: z.string().meta({ description: 'What failed, with which value, and what to do.' }),
  code: z.enum(errorCodes).meta({ description: 'Stable, for programs. docs/errors.md explains each.' }),
  requestId: z.string().meta({ description: 'The same as the x-request-id header; quote it when asking for help.' }),
  details: z.record(z.string(), z.unknown()).optional().meta({ description: 'Facts of this failure, by code.' }),
})
export type ErrorBody = z.infer<typeof errorBodySchema>
