import { z } from 'zod'
import { chainIdField, field, tenorsField, textField } from './fields.ts'
import { notesResponseSchema } from './notes-response.ts'
import { chainRatesSchema } from './rate-response.ts'

const { chainid, status, fixedRates, floatingRate, floatingDay, marketRates, isProtocolSynced } = chainRatesSchema.shape

/** Data of a `rate` event: the figures of a chain in `GET /rate`. */
export const rateEventSchema = z.strictObject({ chainid, fixedRates, floatingRate, floatingDay, marketRates })
/** Data of a `rate` event. */
export type RateEvent = z.infer<typeof rateEventSchema>

/** Data of a `status` event: the state of a chain, and which parts of it changed. */
export const statusEventSchema = z.strictObject({
  message: textField('What changed and why.', 'The pool is paused.'),
  chainid: chainIdField('The chain.', '324'),
  changed: field(z.array(z.enum(['status', 'isProtocolSynced', 'availableMaturities', 'signer'])), {
    description: 'The members that changed. All of them in the first event of a chain.',
    unit: 'names of members',
    example: ['status'],
  }),
  status,
  isProtocolSynced,
  availableMaturities: tenorsField(
    'Tenors of the notes that `GET /notes` has for the chain, ascending. Empty while there are none.',
    [7, 14, 30],
  ),
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

/** Id of an event: its number, which fits into 63 bits, and a random tag. */
export const eventIdPattern = /^(0|[1-9]\d{0,17})-([0-9a-f]{1,8})$/

const id = field(z.string().regex(eventIdPattern), {
  description: 'Id of the event. Send the last one as `Last-Event-ID` to resume.',
  unit: 'opaque id',
  example: '1204-9f2c41d0',
})

function streamEvent<Event extends string, Data extends z.ZodType>(
  event: Event,
  { data, description }: { readonly data: Data; readonly description: string },
) {
  return z.strictObject({
    id,
    event: field(z.literal(event), { description: 'Type of the event.', unit: 'event type', example: event }),
    data: data.meta({ description }),
  })
}

/** Data of the event that tells a client that it may have missed events. */
export const resetEventSchema = z.strictObject({
  message: textField('Why events may be missing, and what to do.', 'Events may be missing. Fetch the current state.'),
})

/** Event of `GET /events`. In the stream, `data` is JSON on one line. */
export const streamEventSchema = z.union([
  streamEvent('notes', {
    data: notesResponseSchema,
    description: 'The body of `GET /notes?chainid=<id>`: the notes of a period that has begun.',
  }),
  streamEvent('rate', { data: rateEventSchema, description: 'The figures of a chain after one of them changed.' }),
  streamEvent('status', { data: statusEventSchema, description: 'The state of a chain after it changed.' }),
  streamEvent('reset', { data: resetEventSchema, description: 'Events may be missing.' }),
])
/** Event of `GET /events`. */
export type StreamEvent = z.infer<typeof streamEventSchema>
