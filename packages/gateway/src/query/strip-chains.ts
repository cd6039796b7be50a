import { type DocumentNode, Kind, type Token, TokenKind, type VariableDefinitionNode, visit } from 'graphql'
import { queryRejected } from '../chain-subgraph.ts'

/**
 * Removes the declarations of `$chains` from a text and its document. The variable selects the chains of a request, so a subgraph never
 * receives it. Spaces take their place: the positions of everything else stay the same. Throws `query_rejected` if the
 * query uses the variable, or declares it as something other than a list of integers.
 */
export function stripChains(text: string, document: DocumentNode) {
  let stripped = text
  const definitions = document.definitions.map((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return definition
    const { variableDefinitions = [] } = definition
    const declared = variableDefinitions.filter(isChains)
    if (declared.length > 1) throw queryRejected(`The variable "$${chainsName}" is declared twice.`)
    for (const declaration of declared) {
      assertListOfIntegers(declaration)
      stripped = blank(stripped, rangeOf(declaration, variableDefinitions.length === 1))
    }
    return { ...definition, variableDefinitions: variableDefinitions.filter((one) => !isChains(one)) }
  })
  rejectUses(document)
  return { text: stripped, document: { ...document, definitions } }
}

/** Name of the variable that selects the chains. */
export const chainsName = 'chains'

/** Returns whether a variable is the one that selects the chains. */
function isChains({ variable }: VariableDefinitionNode): boolean {
  return variable.name.value === chainsName
}

function assertListOfIntegers({ type }: VariableDefinitionNode): void {
  const list = type.kind === Kind.NON_NULL_TYPE ? type.type : type
  const item = list.kind === Kind.LIST_TYPE ? list.type : undefined
  const named = item?.kind === Kind.NON_NULL_TYPE ? item.type : item
  if (named?.kind === Kind.NAMED_TYPE && named.name.value === 'Int') return
  throw queryRejected(
    `The variable "$${chainsName}" selects the chains of the request. Declare it as [Int!]!, or not at all.`,
  )
}

/** Returns where a declaration begins and ends. Parentheses may not be empty, so the only declaration includes them. */
function rangeOf({ loc }: VariableDefinitionNode, isOnly: boolean): readonly [number, number] {
  if (!loc) return [0, 0]
  if (!isOnly) return [loc.start, loc.end]
  return [skipComments(loc.startToken, 'prev').start, skipComments(loc.endToken, 'next').end]
}

function skipComments(token: Token, direction: 'prev' | 'next'): Token {
  const neighbour = token[direction] ?? token
  return neighbour.kind === TokenKind.COMMENT ? skipComments(neighbour, direction) : neighbour
}

/** Replaces a range by spaces. Line breaks stay. */
function blank(text: string, [start, end]: readonly [number, number]): string {
  return text.slice(0, start) + text.slice(start, end).replaceAll(/[^\r\n]/g, ' ') + text.slice(end)
}

function rejectUses(document: DocumentNode): void {
  visit(document, {
    VariableDefinition: (definition) => (isChains(definition) ? false : undefined),
    Variable: (variable) => {
      if (variable.name.value !== chainsName) return
      throw queryRejected(
        `The variable "$${chainsName}" selects the chains of the request and is not sent to a subgraph. Use another name inside the query.`,
      )
    },
  })
}
