import { readFileSync } from 'node:fs'
import {
  calendarResponseSchema,
  chainsResponseSchema,
  dataRequestSchema,
  dataResponseSchema,
  decodeNote,
  errorBodySchema,
  errorCodes,
  graphqlAnswerSchema,
  graphqlFailureSchema,
  graphqlRequestSchema,
  historyNotesResponseSchema,
  historyRateResponseSchema,
  type JsonSchema,
  logProofSchema,
  type MediaType,
  notesResponseSchema,
  rateResponseSchema,
  streamEventSchema,
  verifyNote,
} from '@tallystick/core'
import { statusOf } from '@tallystick/http'
import { listFailing } from '@tallystick/workbench/list-failing'
import { describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { documentedRoutes } from '../../test/documented-routes.ts'
import { listFailures, listOperations } from '../../test/list-operations.ts'
import { buildDocument } from './build-document.ts'

const document = buildDocument({ chainIds: [324], dataChainIds: [324], subgraphChainIds: [324] }, documentedRoutes)
const operations = listOperations(document)

describe('every field', () => {
  /** Returns all properties, parameters and headers with their paths. */
  function* fieldsOf(value: unknown, path: string): Generator<[string, JsonSchema]> {
    if (typeof value !== 'object' || value === null) return
    const { properties } = value as { readonly properties?: Readonly<Record<string, JsonSchema>> }
    for (const [name, schema] of Object.entries(properties ?? {})) yield [`${path}.${name}`, schema]
    for (const [name, child] of Object.entries(value)) {
      // Examples contain no schemas.
      if (name !== 'examples' && name !== 'value') yield* fieldsOf(child, `${path}.${name}`)
    }
  }
  const described = operations.flatMap(({ operation }) =>
    (operation.parameters ?? []).map(({ name, description, schema }): [string, JsonSchema] => [
      `${operation.operationId} ${name}`,
      { ...schema, description },
    ]),
  )
  const headers = Object.entries(document.components.headers).map(
    ([name, { description, schema }]): [string, JsonSchema] => [`header ${name}`, { ...schema, description }],
  )
  const fields = [...fieldsOf(document.components.schemas, 'schemas'), ...described, ...headers]

  test('default: the search finds the fields', () => {
    expect(fields.length).toBeGreaterThan(70)
  })

  test('behavior: each has a description, a unit and an example', async () => {
    const failing = await listFailing(fields, ([, schema]) => {
      expect(schema.description).toMatch(/^\S.*[.\]]$/s)
      // A composite is documented by its own fields.
      const isComposite = [schema, schema.items, ...(schema.anyOf ?? [])].some((part) => part?.$ref !== undefined)
      if (isComposite) return
      expect(schema['x-unit']).toMatch(/\S/)
      expect(schema.description).toContain(`[${schema['x-unit']}]`)
      expect(schema.examples).toHaveLength(1)
    })
    expect(failing).toEqual([])
  })
})

describe('examples', () => {
  const schemas: Readonly<Record<string, z.ZodType>> = {
    NotesResponse: notesResponseSchema,
    DataRequest: dataRequestSchema,
    DataResponse: dataResponseSchema,
    RateResponse: rateResponseSchema,
    LogProof: logProofSchema,
    HistoryNotesResponse: historyNotesResponseSchema,
    HistoryRateResponse: historyRateResponseSchema,
    CalendarResponse: calendarResponseSchema,
    StreamEvent: streamEventSchema,
    ChainsResponse: chainsResponseSchema,
    GraphqlRequest: graphqlRequestSchema,
    GraphqlAnswer: graphqlAnswerSchema,
    GraphqlFailure: graphqlFailureSchema,
    Error: errorBodySchema,
  }
  const contents = operations.flatMap(({ operation: { operationId, requestBody, responses } }) =>
    [requestBody, ...Object.values(responses)].flatMap((message) =>
      Object.values(message?.content ?? {}).map((content): [string, MediaType] => [operationId, content]),
    ),
  )
  const examples = contents.flatMap(([id, { schema, examples = {} }]) =>
    Object.entries(examples).map(([name, { value }]) => ({ id, name, value, schema: schema.$ref?.split('/').at(-1) })),
  )

  test('default: each matches the validating schema', async () => {
    // An example in another format is a text.
    const objects = examples.filter(({ value }) => typeof value !== 'string')
    expect(objects.length).toBeGreaterThan(100)
    const failing = await listFailing(objects, ({ schema, value }) => {
      expect(schemas[String(schema)]?.parse(value)).toEqual(value)
    })
    expect(failing).toEqual([])
  })

  test('behavior: every JSON body has an example', () => {
    const bare = contents.filter(([, { schema, examples: of }]) => schema.$ref !== undefined && !of)
    expect(bare).toEqual([])
  })

  test('behavior: the notes are signed by the signer in FACTS.md, for its pool', async () => {
    const value = examples.find(({ name }) => name === 'notes')?.value
    const verifyingContract = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'
    const domain = { name: 'NoteSignatureVerifier', version: '1', verifyingContract } as const
    const signer = '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1'
    for (const note of notesResponseSchema.parse(value).data) {
      expect(await verifyNote(decodeNote(note), { domain, signer })).toMatchObject({ valid: true })
    }
  })
})

describe('errors', () => {
  const failures = operations.flatMap(({ operation }) => listFailures(operation))

  /** Returns the error of a body, which may be a GraphQL response. */
  const toErrorBody = (example: unknown) => {
    const { errors, ...body } = example as Record<string, unknown>
    if (!errors || 'code' in body) return body
    const [{ message, extensions }] = errors as [{ message: string; extensions: { code: string } }]
    return { ...extensions, message, code: extensions.code.toLowerCase() }
  }

  test('behavior: each example is under its status and has its code', () => {
    for (const { code, status, example } of failures) {
      const error = errorBodySchema.parse(toErrorBody(example))
      expect(error.code).toBe(code)
      expect(Number(status)).toBe(statusOf(error.code))
    }
  })

  test('behavior: the codes that no endpoint lists are those that the public listener never sends to a program', () => {
    const listed = new Set(failures.map(({ code }) => code))
    expect(errorCodes.filter((code) => !listed.has(code))).toMatchInlineSnapshot(`
      [
        "visitor_token_invalid",
        "visitor_token_expired",
        "visitor_not_allowed",
        "unauthorized",
        "insufficient_role",
        "invalid_curve",
        "rail_refused",
        "proposal_refused",
        "invalid_key_request",
        "key_not_found",
        "key_not_active",
        "key_changed",
        "invalid_hook",
        "hook_not_found",
        "delivery_not_found",
        "index_job_running",
        "invalid_config",
        "invalid_note_file",
        "signer_failed",
        "database_unavailable",
        "database_in_use",
        "database_too_new",
        "journal_unusable",
        "database_outdated",
        "server_unreachable",
      ]
    `)
  })

  test('behavior: the schema of the error body lists and explains every code', () => {
    const code = document.components.schemas['Error']?.properties?.['code']
    expect(code?.enum).toEqual(errorCodes)
    expect(Object.keys(code?.['x-enumDescriptions'] ?? {}).sort()).toEqual([...errorCodes].sort())
  })
})

test('behavior: it has the version of the package and contains only JSON values', () => {
  const manifest = JSON.parse(
    readFileSync(new URL('../../../../apps/tallystick/package.json', import.meta.url), 'utf8'),
  )
  expect(document.info.version).toBe(manifest.version)
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
})
