import type { JsonSchema, OpenapiParameter } from '@tallystick/core'
import * as core from '@tallystick/core'
import { z } from 'zod'
import { errorGuide } from './error-guide.ts'

/** Schemas that validate requests and responses, by their published names. */
const published = {
  NotesResponse: core.notesResponseSchema,
  Note: core.wireNoteSchema,
  Signature: core.wireSignatureSchema,
  DataRequest: core.dataRequestSchema,
  DataVariables: core.dataVariablesSchema,
  DataResponse: core.dataResponseSchema,
  ChainData: core.chainDataSchema,
  ChainError: core.chainErrorSchema,
  RateResponse: core.rateResponseSchema,
  ChainRates: core.chainRatesSchema,
  FixedRate: core.fixedRateSchema,
  MarketRate: core.marketRateSchema,
  HistoryNotesResponse: core.historyNotesResponseSchema,
  HistoryPeriod: core.historyPeriodSchema,
  HistoryCoupon: core.historyCouponSchema,
  HistoryRateResponse: core.historyRateResponseSchema,
  HistoryDay: core.historyDaySchema,
  HistoryFixedRate: core.historyFixedRateSchema,
  CalendarResponse: core.calendarResponseSchema,
  CalendarPeriod: core.calendarPeriodSchema,
  StreamEvent: core.streamEventSchema,
  RateEvent: core.rateEventSchema,
  StatusEvent: core.statusEventSchema,
  ResetEvent: core.resetEventSchema,
  ChainsResponse: core.chainsResponseSchema,
  ChainInfo: core.chainInfoSchema,
  SigningDomain: core.signingDomainSchema,
  PositionToken: core.positionTokenSchema,
  Dollar: core.dollarSchema,
  PoolLimits: core.poolLimitsSchema,
  LogProof: core.logProofSchema,
  GraphqlRequest: core.graphqlRequestSchema,
  GraphqlAnswer: core.graphqlAnswerSchema,
  GraphqlError: core.graphqlErrorSchema,
  GraphqlFailure: core.graphqlFailureSchema,
  Error: core.errorBodySchema,
} as const satisfies Record<string, z.ZodType>

export type SchemaName = keyof typeof published

export function schemaReference(name: SchemaName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** Returns the schemas as JSON Schemas that refer to each other. */
export function publishedSchemas(dataChainIds: readonly number[]): Readonly<Record<SchemaName, JsonSchema>> {
  const registry = z.registry<{ readonly id: string }>()
  for (const [id, schema] of Object.entries(published)) registry.add(schema, { id })
  const { schemas } = z.toJSONSchema(registry, { uri: (id) => `#/components/schemas/${id}` })
  const named = Object.fromEntries(
    // An `$id` would change the base of the references in a component.
    Object.entries(schemas).map(([name, { $schema, $id, ...schema }]) => [name, schema as JsonSchema]),
  ) as Record<SchemaName, JsonSchema>
  return {
    ...named,
    DataVariables: changeProperty(named.DataVariables, 'chains', (chains) => ({
      ...chains,
      items: allowOnly(chains.items as JsonSchema, dataChainIds),
      ...(dataChainIds[0] !== undefined && { examples: [[dataChainIds[0]]] }),
    })),
    Error: changeProperty(named.Error, 'code', (code) => ({ ...code, 'x-enumDescriptions': errorGuide })),
  }
}

const querySchemas = {
  notes: core.notesQuerySchema,
  rate: core.rateQuerySchema,
  historyNotes: core.historyNotesQuerySchema,
  historyRate: core.historyRateQuerySchema,
  calendar: core.calendarQuerySchema,
  logProof: core.logProofQuerySchema,
  events: core.eventsQuerySchema,
}

/** Returns the query parameters of an endpoint. */
export function queryParameters(
  of: keyof typeof querySchemas,
  { chainIds }: { readonly chainIds: readonly number[] },
): readonly OpenapiParameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(querySchemas[of]) as JsonSchema
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema: name === 'chainid' ? { ...allowOnly(schema, chainIds), examples: [chainIds[0]] } : schema,
  }))
}

/** Returns a chain id in the path of an endpoint. */
export function chainParameter(
  description: string,
  { chainIds, example }: { readonly chainIds: readonly number[]; readonly example: number },
): OpenapiParameter {
  const schema = allowOnly({ type: 'integer', 'x-unit': 'chain id', examples: [example] }, chainIds)
  return { name: 'chainid', in: 'path', required: true, description: `${description} [chain id]`, schema }
}

/** Restricts a schema to the given values. An empty list adds no restriction. */
function allowOnly(schema: JsonSchema, values: readonly unknown[]): JsonSchema {
  return values.length === 0 ? schema : { ...schema, enum: values }
}

function changeProperty(schema: JsonSchema, name: string, change: (property: JsonSchema) => JsonSchema): JsonSchema {
  const property = schema.properties?.[name] as JsonSchema
  return { ...schema, properties: { ...schema.properties, [name]: change(property) } }
}
