import { TallystickError } from '@tallystick/core'
import type { Answer, QueryRequest, Subgraph } from '@tallystick/subgraph'
import type { DocumentNode, GraphQLSchema } from 'graphql'
import type { Head } from '../chain-subgraph.ts'
import { toHead } from '../embedded/embedded-subgraph.ts'
import { type AnalysedQuery, createAnalyse } from '../query/analyse-query.ts'
import { assertWithin, publicQueryLimits } from '../query/measure-selection.ts'

/** Answer of `/subgraphs`. */
export type PublicAnswer = { readonly body: Uint8Array; readonly head: Head | undefined }

/** Answers a query. Calls `begin` when its work begins, after the start of a thread. */
export type AnswerPublic = (request: QueryRequest, begin: () => void) => Promise<PublicAnswer>

// The default limit of a gateway for one answer of an upstream.
const answerBytesMax = 8 * 1024 * 1024

/**
 * Creates the function that answers public queries. A query that exceeds a limit gets the message of that limit. Other
 * errors come from the subgraph and use graph-node's texts. A query whose size is not known is never run. Never throws.
 */
export function createPublicAnswer(
  subgraph: Pick<Subgraph, 'answer' | 'findErrors'>,
  schema: GraphQLSchema,
): AnswerPublic {
  const analyse = createAnalyse(schema, { limits: publicQueryLimits, hasChains: false })
  return async (request, begin) => {
    begin()
    const { document, rejection } = check(analyse, request)
    if (rejection) {
      const isOverLimit = rejection.details?.['limit'] !== undefined
      const errors = isOverLimit ? [] : subgraph.findErrors(request.query)
      return { body: encodeErrors(errors.length > 0 ? errors : [{ message: rejection.message }]), head: undefined }
    }
    // The text came through a port, so it is parsed here, once.
    const { data, errors, head: read } = await subgraph.answer({ ...request, document })
    const head = toHead(read)
    const body = encodeAnswer(data, errors)
    return body.length > answerBytesMax ? { body: encodeErrors([tooLarge(body.length)]), head } : { body, head }
  }
}

type Checked = {
  readonly document?: DocumentNode | undefined
  /** Why the query is not run: it exceeds a limit, or its analysis failed. */
  readonly rejection?: TallystickError
}

function check(analyse: (text: string) => AnalysedQuery, request: QueryRequest): Checked {
  try {
    const { operations, document } = analyse(request.query)
    const named = operations.length === 1 ? operations : operations.filter(({ name }) => name === request.operationName)
    for (const { rows } of named) {
      if (typeof rows === 'function') assertWithin('rows', rows(request.variables ?? {}), publicQueryLimits)
    }
    return { document }
  } catch (error) {
    if (error instanceof TallystickError) return { rejection: error }
    throw error
  }
}

function encodeAnswer(data: Answer['data'], errors: Answer['errors']): Uint8Array {
  if (data === undefined) return encodeErrors(errors)
  return encoder.encode(errors ? `{"data":${data},"errors":${JSON.stringify(errors)}}` : `{"data":${data}}`)
}

function encodeErrors(errors: unknown): Uint8Array {
  return encoder.encode(JSON.stringify({ errors }))
}

function tooLarge(bytes: number): { readonly message: string } {
  const message = `The answer has ${bytes} bytes; the limit is ${answerBytesMax}. Ask for fewer entities or fields.`
  return { message }
}

// It encodes into a buffer of its own, which can be transferred to another thread.
const encoder = new TextEncoder()
