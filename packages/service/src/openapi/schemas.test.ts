import { type JsonSchema, TallystickError } from '@tallystick/core'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { codePoint } from '../../test/code-point.ts'
import { parseDataRequest } from '../data/data-route.ts'
import { parseQueryRequest } from '../data/graphql-request.ts'
import { parseEventsRequest } from '../events/events-query.ts'
import { parseNotesQuery } from '../notes/notes-query.ts'
import { parseRateQuery } from '../rate/route.ts'
import { publishedSchemas, queryParameters } from './schemas.ts'

const chainIds = [1, 324]
const schemas = publishedSchemas(chainIds)

/** Returns a validator of the published JSON Schema, as a reader of the document would use. */
function validatorOf(schema: JsonSchema): (value: unknown) => boolean {
  const inlined = JSON.parse(
    JSON.stringify({ ...schema, $defs: schemas }).replaceAll('#/components/schemas/', '#/$defs/'),
  )
  const validator = z.fromJSONSchema(inlined)
  return (value) => validator.safeParse(value).success
}

function accepts(work: () => unknown): boolean {
  try {
    work()
    return true
  } catch (error) {
    if (error instanceof TallystickError) return false
    throw error
  }
}

type Agreement<T> = {
  readonly arbitrary: fc.Arbitrary<T>
  readonly parser: (value: T) => boolean
  readonly schema: (value: T) => boolean
}

function testAgreement<T>(path: string, agreement: Agreement<T>): void {
  test(`default: ${path}`, () => assertAgreement(agreement, 400))
  test(`default: ${path}, 2,000 values`, { tags: ['slow'] }, () => assertAgreement(agreement, 2_000))
}

/** Checks that parser and schema agree, and that the generator produces both accepted and rejected values. */
function assertAgreement<T>({ arbitrary, parser, schema }: Agreement<T>, numRuns: number): void {
  const seen = new Set<boolean>()
  fc.assert(
    fc.property(arbitrary, (value) => {
      const isAccepted = parser(value)
      seen.add(isAccepted)
      return isAccepted === schema(value)
    }),
    { numRuns },
  )
  expect(seen).toEqual(new Set([true, false]))
}

describe('query strings: the parser accepts exactly the texts of values that the schema accepts', () => {
  const digits = fc.stringMatching(/^[0-9,.+ -]{0,8}$/)
  const texts = fc.oneof(
    fc.constantFrom(
      '1',
      '324',
      '0324',
      '324.0',
      '+324',
      '1,324',
      '',
      '7',
      '7,14',
      '07',
      '9999',
      '10000',
      '7,,14',
      '7\n',
      ...[
        'notes',
        'status,rate,notes',
        'notes,',
        'notes,notes',
        'Notes',
        '12-0a',
        '012-0a',
        '12-0A',
        `${'9'.repeat(18)}-0`,
      ],
    ),
    digits,
    fc.string({ unit: codePoint, maxLength: 4 }),
  )
  const names = fc.constantFrom(
    'chainid',
    'maturity',
    'types',
    'lastEventId',
    'chainId',
    'page',
    'toString',
    '__proto__',
    'constructor',
    '',
  )
  const query = fc.dictionary(fc.oneof({ weight: 6, arbitrary: names }, fc.string({ maxLength: 3 })), texts, {
    maxKeys: 2,
  })

  const agrees = (of: Parameters<typeof queryParameters>[0]) => {
    const parameters = new Map(
      queryParameters(of, { chainIds }).map(({ name, schema }) => [
        name,
        { type: schema.type, validate: validatorOf(schema) },
      ]),
    )
    const takes = ([name, text]: [string, string]) => {
      const parameter = parameters.get(name)
      if (!parameter) return false
      const { type, validate } = parameter
      return type === 'integer' ? validate(Number(text)) && String(Number(text)) === text : validate(text)
    }
    return (value: Record<string, string>) => Object.entries(value).every(takes)
  }

  testAgreement('/notes', {
    arbitrary: query,
    parser: (value) => accepts(() => parseNotesQuery(value, { chainIds })),
    schema: agrees('notes'),
  })

  const scopes = new Set(['notes', 'rate'] as const)
  testAgreement('/events', {
    arbitrary: query,
    parser: (value) => accepts(() => parseEventsRequest({ query: value, headers: {} }, { chainIds, scopes })),
    schema: agrees('events'),
  })

  testAgreement('/rate', {
    arbitrary: query,
    parser: (value) => accepts(() => parseRateQuery(value, chainIds)),
    schema: agrees('rate'),
  })
})

describe('bodies: the parser accepts exactly what the schema accepts', () => {
  const anything = fc.oneof(fc.jsonValue(), fc.constantFrom(null, '', 0, [], {}))
  const chains = fc.oneof(
    fc.constantFrom([324], [1, 324], [324, 1], [], [324, 324], ['324'], [325], [324.5], 324, null),
    fc.array(fc.oneof(fc.constantFrom(1, 324), fc.integer()), { maxLength: 3 }),
    anything,
  )
  const variables = fc.oneof(
    { weight: 4, arbitrary: fc.record({ chains, walletAddress: anything }, { requiredKeys: [] }) },
    anything,
  )
  const members = {
    query: fc.oneof({ weight: 4, arbitrary: fc.string() }, anything),
    variables,
    operationName: fc.oneof(fc.string(), anything),
    extensions: fc.oneof(fc.dictionary(fc.string(), anything, { maxKeys: 2 }), anything),
    other: anything,
  }
  const likely = fc.record(
    { query: fc.string(), variables: fc.record({ chains: fc.constantFrom([324], [1, 324], [324, 1]) }) },
    { requiredKeys: ['query', 'variables'] },
  )
  // Only values that JSON can represent.
  const body = fc
    .oneof(likely, { weight: 4, arbitrary: fc.record(members, { requiredKeys: ['query'] }) }, anything)
    .map((value) => JSON.parse(JSON.stringify(value)) as unknown)

  // The only keyword that the validator does not support.
  test('default: the chains of /data are unique', () => {
    expect(schemas.DataVariables.properties?.['chains']?.['uniqueItems']).toBe(true)
  })
  const isUnique = (value: unknown) => {
    const { chains: listed } = (value as { variables: { chains: unknown[] } }).variables
    return new Set(listed).size === listed.length
  }
  const validate = validatorOf(schemas.DataRequest)
  testAgreement('/data', {
    arbitrary: body,
    parser: (value) => accepts(() => parseDataRequest(value, chainIds)),
    schema: (value) => validate(value) && isUnique(value),
  })

  testAgreement('/subgraphs/<chainid>', {
    arbitrary: body,
    parser: (value) => accepts(() => parseQueryRequest(value)),
    schema: validatorOf(schemas.GraphqlRequest),
  })
})
