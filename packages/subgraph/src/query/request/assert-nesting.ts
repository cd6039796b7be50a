import { GraphQLError, Lexer, Source, TokenKind } from 'graphql'

// graph-node's parser has the same limit. The parser of graphql-js would recurse until the stack overflows.
const nestingMax = 50

const opening: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_L, TokenKind.BRACKET_L, TokenKind.PAREN_L])
const closing: ReadonlySet<TokenKind> = new Set([TokenKind.BRACE_R, TokenKind.BRACKET_R, TokenKind.PAREN_R])

/** Throws a `GraphQLError` if brackets in a text nest too deeply, or it has too many tokens, to be parsed safely. */
export function assertNesting(text: string, { tokensMax }: { readonly tokensMax: number }): void {
  const source = new Source(text)
  const lexer = new Lexer(source)
  let depth = 0
  let tokens = 0
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    tokens += 1
    if (tokens > tokensMax) throw new GraphQLError(`Syntax Error: The query has more than ${tokensMax} tokens.`)
    if (opening.has(token.kind)) depth += 1
    else if (closing.has(token.kind)) depth -= 1
    if (depth > nestingMax) {
      const message = `Syntax Error: Recursion limit exceeded, brackets nest deeper than ${nestingMax}.`
      throw new GraphQLError(message, { source, positions: [token.start] })
    }
  }
}
