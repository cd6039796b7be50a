import { z } from 'zod'
import { field, textField } from './fields.ts'

const hash = (description: string) =>
  field(z.string().regex(/^[\w+/]{43}=$/, 'must be 32 bytes in base64'), {
    description,
    unit: '32 bytes, base64',
    example: 'bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=',
  })

/** Response body of `GET /log/proof`. */
export const logProofSchema = z.strictObject({
  message: textField('Which entry this is.', 'Entry 1204 of notes.example/log.'),
  origin: field(z.string(), { description: 'Name of the log.', unit: 'text', example: 'notes.example/log' }),
  index: field(z.int().min(0), { description: 'Index of the entry.', unit: 'entries', example: 1204 }),
  size: field(z.int().min(1), { description: 'Number of entries of the checkpoint.', unit: 'entries', example: 1206 }),
  root: hash('Root of the tree of the checkpoint.'),
  leafHash: hash('Hash of the entry: SHA-256 of a zero byte and the entry.'),
  hashes: field(z.array(z.string()), {
    description: 'The hashes from the leaf to the root (RFC 6962 §2.1.1).',
    unit: '32 bytes each, base64',
    example: ['bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0='],
  }),
  entry: field(z.string(), {
    description: 'The entry, one line of JSON. Its UTF-8 bytes are what is hashed.',
    unit: 'JSON text',
    example: '{"v":1,"type":"notes"}',
  }),
  checkpoint: field(z.string(), {
    description: 'The signed checkpoint, as `/log/checkpoint` returns it.',
    unit: 'signed note',
    example: 'notes.example/log\n1206\n…',
  }),
})
/** Response body of `GET /log/proof`. */
export type LogProof = z.infer<typeof logProofSchema>
