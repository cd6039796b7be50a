import { z } from 'zod'
import { field } from './field.ts'
import { chainIdForm } from './forms.ts'
import { notesResponseSchema } from './notes-response.ts'
import { chainRatesSchema } from './rate-response.ts'

/** Types of the events of `GET /events` and of webhooks. */
export const eventTypes = ['notes', 'rate', 'status'] as const
/** Type of an event. */
export type EventType = (typeof eventTypes)[number]

const { chainid, status, fixedRates, floatingRate, floatingDay, marketRates, isProtocolSynced } = chainRatesSchema.shape

/** Data of a `rate` event: the figures of a chain in `GET /rate`. */
export const rateEventSchema = z.strictObject({ chainid, fixedRates, floatingRate, floatingDay, marketRates })
/** Data of a `rate` event. */
export type RateEvent = z.infer<typeof rateEventSchema>

/** Data of a `status` event: the state of a chain, and which parts of it changed. */
export const statusEventSchema = z.strictObject({
  message: field(z.string(), {
    description: 'What changed and why.',
    unit: 'human-readable text',
    example: 'The pool is paused.',
  }),
  chainid: field(chainIdForm, { description: 'The chain.', unit: 'chain id', example: '324' }),
  changed: field(z.array(z.enum(['status', 'isProtocolSynced', 'areNotesAvailable', 'signer'])), {
    description: 'The members that changed. All of them in the first event of a chain.',
    unit: 'names of members',
    example: ['status'],
  }),
  status,
  isProtocolSynced,
  areNotesAvailable: field(z.boolean(), {
    description: 'Whether `GET /notes` has notes of the chain.',
    unit: 'true or false',
    example: true,
  }),
  signer: field(
    z
      .string()
      .regex(/^0x[0-9a-fA-F]{40}$/)
      .nullable(),
    {
      description: 'Address that signed the notes of the current period. The last known one while there are none.',
      unit: 'address',
      example: '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1',
    },
  ),
})
/** Data of a `status` event. */
export type StatusEvent = z.infer<typeof statusEventSchema>

/** Data of an event by its type. The data of `notes` is the body of `GET /notes?chainid=<id>`. */
export const eventDataSchemas = {
  notes: notesResponseSchema,
  rate: rateEventSchema,
  status: statusEventSchema,
} as const
