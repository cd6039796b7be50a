import type { NotesResponse } from '@tallystick/core'
import { describeGet, jsonContent } from '../openapi/describe-operation.ts'
import { curl, keyHeader, typescript } from '../openapi/samples.ts'
import { queryParameters } from '../openapi/schemas.ts'
import type { Parameter } from '../routing/document.ts'

const description = `Returns the notes of the current New York period (00:00 to 18:00 or 18:00 to 24:00). A response never contains an expired or not-yet-valid note. If the current notes are unavailable, the status is 500.

The note set does not change within its period. Cache it for \`max-age\`, and fetch again when the time is no longer between \`signature_valid_after\` and \`signature_valid_before\`, both excluded.`

const ifNoneMatch: Parameter = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  description: 'The `ETag` of the cached response. [entity tag]',
  schema: { type: 'string', 'x-unit': 'entity tag', examples: ['"kHqFZ2nWcWg0vSL4nRzLhA"'] },
}

/** `GET /notes` (SPEC.md §4.1). */
export const describeNotes = describeGet(({ context, chainId }) => ({
  operationId: 'getNotes',
  tag: 'Notes',
  summary: 'Current notes',
  description,
  parameters: [...queryParameters('notes', context), ifNoneMatch],
  response: 'The notes, sorted by chain, then maturity.',
  content: jsonContent('NotesResponse', {
    notes: { summary: 'Two tenors of one chain', value: exampleNotes(chainId) },
  }),
  notModified: 'The notes match `If-None-Match`. There is no body.',
  headers: ['x-tallystick-log'],
  codes: ['invalid_chainid', 'invalid_maturity', 'invalid_parameter', 'notes_unavailable'],
  samples: [
    curl(`curl "$TALLYSTICK_URL/notes?chainid=${chainId}&maturity=7,14"`, keyHeader),
    typescript(
      `const { notes } = await client.notes({ chainId: ${chainId}, maturity: [7, 14] })`,
      'for (const note of notes) console.log(note.coupon, note.maturityTimestamp, note.validBefore)',
    ),
  ],
}))

/** Returns expired notes with real signatures, by the key of FACTS.md §1 for its pool on chain 324. */
function exampleNotes(chainId: number): NotesResponse {
  const terms = {
    note_started_at: '1794632400',
    signature_valid_after: '1794697199',
    signature_valid_before: '1794718800',
    chainid: String(chainId),
  }
  return {
    message: 'Treasury notes of 2026-11-14, 18:00 to 24:00 New York.',
    data: [
      {
        maturity_timestamp: '1795237200',
        coupon: '369',
        signature: {
          r: '0x530befe5b312af7e9c247b32f4b75244dc5e911bebbf1b941c9d0d62d0041d90',
          s: '0x1c7b2b0c48dd8c864143517f6c215857301ffb4c9e092556baf2201b61afe3ab',
          v: 28,
        },
        ...terms,
      },
      {
        maturity_timestamp: '1795842000',
        coupon: '365',
        signature: {
          r: '0xbfbc71c58ebbc5ee9436d85fab7fb1f8979a109eda0e468b60b940d069484bce',
          s: '0x1fef712799136f000cb190541a5c7f49b8ff2bc8060c85ad639b36693b28e892',
          v: 27,
        },
        ...terms,
      },
    ],
    availableMaturities: [7, 14, 30, 60, 90, 180, 360],
  }
}
