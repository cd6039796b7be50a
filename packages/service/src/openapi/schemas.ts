import {
  calendarPeriodSchema,
  calendarQuerySchema,
  calendarResponseSchema,
  chainDataSchema,
  chainErrorSchema,
  chainInfoSchema,
  chainRatesSchema,
  chainsResponseSchema,
  dataRequestSchema,
  dataResponseSchema,
  dataVariablesSchema,
  dollarSchema,
  errorBodySchema,
  eventsQuerySchema,
  fixedRateSchema,
  graphqlAnswerSchema,
  graphqlErrorSchema,
  graphqlFailureSchema,
  graphqlRequestSchema,
  historyCouponSchema,
  historyDaySchema,
  historyFixedRateSchema,
  historyNotesQuerySchema,
  historyNotesResponseSchema,
  historyPeriodSchema,
  historyRateQuerySchema,
  historyRateResponseSchema,
  logProofQuerySchema,
  logProofSchema,
  marketRateSchema,
  notesQuerySchema,
  notesResponseSchema,
  poolLimitsSchema,
  positionTokenSchema,
  rateEventSchema,
  rateQuerySchema,
  rateResponseSchema,
  resetEventSchema,
  signingDomainSchema,
  statusEventSchema,
  streamEventSchema,
  wireNoteSchema,
  wireSignatureSchema,
} from '@tallystick/core'
import { z } from 'zod'
import type { JsonSchema, Parameter } from '../routing/document.ts'
import { errorGuide } from './error-guide.ts'

/** Schemas that validate requests and responses, by their published names. */
const published = {
  NotesResponse: notesResponseSchema,
  Note: wireNoteSchema,
  Signature: wireSignatureSchema,
  DataRequest: dataRequestSchema,
  DataVariables: dataVariablesSchema,
  DataResponse: dataResponseSchema,
  ChainData: chainDataSchema,
  ChainError: chainErrorSchema,
  RateResponse: rateResponseSchema,
  ChainRates: chainRatesSchema,
  FixedRate: fixedRateSchema,
  MarketRate: marketRateSchema,
  HistoryNotesResponse: historyNotesResponseSchema,
  HistoryPeriod: historyPeriodSchema,
  HistoryCoupon: historyCouponSchema,
  HistoryRateResponse: historyRateResponseSchema,
  HistoryDay: historyDaySchema,
  HistoryFixedRate: historyFixedRateSchema,
  CalendarResponse: calendarResponseSchema,
  CalendarPeriod: calendarPeriodSchema,
  StreamEvent: streamEventSchema,
  RateEvent: rateEventSchema,
  StatusEvent: statusEventSchema,
  ResetEvent: resetEventSchema,
  ChainsResponse: chainsResponseSchema,
  ChainInfo: chainInfoSchema,
  SigningDomain: signingDomainSchema,
  PositionToken: positionTokenSchema,
  Dollar: dollarSchema,
  PoolLimits: poolLimitsSchema,
  LogProof: logProofSchema,
  GraphqlRequest: graphqlRequestSchema,
  GraphqlAnswer: graphqlAnswerSchema,
  GraphqlError: graphqlErrorSchema,
  GraphqlFailure: graphqlFailureSchema,
  Error: errorBodySchema,
} as const satisfies Record<string, z.ZodType>

export type SchemaName = keyof typeof published

export function schemaReference(name: SchemaName): JsonSchema {
  return { $ref: `#/components/schemas/${name}` }
}

/** Returns the schemas as JSON Schemas that refer to each other. */
export function publishedSchemas({
  dataChainIds,
}: {
  readonly dataChainIds: readonly number[]
}): Readonly<Record<SchemaName, JsonSchema>> {
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
  notes: notesQuerySchema,
  rate: rateQuerySchema,
  historyNotes: historyNotesQuerySchema,
  historyRate: historyRateQuerySchema,
  calendar: calendarQuerySchema,
  logProof: logProofQuerySchema,
  events: eventsQuerySchema,
}

/** Returns the query parameters of an endpoint. */
export function queryParameters(
  of: keyof typeof querySchemas,
  { chainIds }: { readonly chainIds: readonly number[] },
): readonly Parameter[] {
  const { properties = {}, required = [] } = z.toJSONSchema(querySchemas[of]) as JsonSchema
  return Object.entries(properties).map(([name, { description = '', ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description,
    schema: name === 'chainid' ? { ...allowOnly(schema, chainIds), examples: [chainIds[0]] } : schema,
  }))
}

/** Restricts a schema to the given values. An empty list adds no restriction. */
export function allowOnly(schema: JsonSchema, values: readonly unknown[]): JsonSchema {
  return values.length === 0 ? schema : { ...schema, enum: values }
}

function changeProperty(schema: JsonSchema, name: string, change: (property: JsonSchema) => JsonSchema): JsonSchema {
  const property = schema.properties?.[name] as JsonSchema
  return { ...schema, properties: { ...schema.properties, [name]: change(property) } }
}
