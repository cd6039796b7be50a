import { type ApiSchema, buildApiSchema } from './api-schema.ts'
import { parseSchema } from './parse-schema.ts'

// A service has one schema, and building its API takes 100 ms.
let last: { readonly sdl: string; readonly api: ApiSchema } | undefined

/** Returns the API of an SDL. The last one is kept. */
export function apiSchemaOf(sdl: string): ApiSchema {
  if (last?.sdl !== sdl) last = { sdl, api: buildApiSchema(parseSchema(sdl)) }
  return last.api
}
