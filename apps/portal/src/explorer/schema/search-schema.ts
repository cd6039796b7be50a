import type { GraphQLSchema } from 'graphql'
import { describeType } from './describe-type.ts'

/** Field or type that matches a search. */
export type Match = { readonly typeName: string; readonly fieldName?: string | undefined }

export const matchesMax = 40

/** Returns types and fields whose name contains the text. Names that start with it come first, then fields of the root. */
export function searchSchema(schema: GraphQLSchema, text: string): readonly Match[] {
  const wanted = text.trim().toLowerCase()
  if (wanted === '') return []
  const root = schema.getQueryType()?.name
  const rankOf = ({ typeName, fieldName = typeName }: Match) => {
    const isPrefix = fieldName.toLowerCase().startsWith(wanted)
    return (isPrefix ? 0 : 4) + (typeName === root ? 0 : /_(filter|orderBy)$/.test(typeName) ? 2 : 1)
  }
  return listNames(schema)
    .filter(({ typeName, fieldName = typeName }) => fieldName.toLowerCase().includes(wanted))
    .toSorted((a, b) => rankOf(a) - rankOf(b))
    .slice(0, matchesMax)
}

function listNames(schema: GraphQLSchema): readonly Match[] {
  return Object.values(schema.getTypeMap())
    .filter(({ name }) => !name.startsWith('__'))
    .flatMap((type) => [
      { typeName: type.name },
      ...describeType(type).fields.map(({ name }) => ({ typeName: type.name, fieldName: name })),
    ])
}
