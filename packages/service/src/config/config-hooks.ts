import { z } from 'zod'
import { networkSchema } from './config-fields.ts'

/** Schema of the webhooks' settings. */
export const hooksSchema = z
  .strictObject({
    /** Networks of receivers that are not public. Their URLs may be plain HTTP. */
    allowPrivate: z.array(networkSchema).default([]),
  })
  .prefault({})
