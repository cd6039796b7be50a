import { quietStorage } from '@tallystick/ui'
import { type Draft, hasSecret } from './draft.ts'

/** Query that the visitor ran. Its result is not kept. */
export type PastQuery = Pick<Draft, 'query' | 'variables' | 'chains'> & {
  /** Unix milliseconds. */
  readonly at: number
}

const storageName = 'tallystick-queries'
const entriesMax = 25
const charactersMax = 100_000

/** Returns the history with a query that was just run, newest first. An equal one moves to the front. */
export function addToHistory(past: readonly PastQuery[], added: PastQuery): readonly PastQuery[] {
  if (hasSecret(added)) return past
  const others = past.filter((each) => keyOf(each) !== keyOf(added))
  const next = [added, ...others].slice(0, entriesMax)
  while (JSON.stringify(next).length > charactersMax) next.pop()
  return next
}

/** Parses what is stored. Anything else than a list of queries is an empty history. */
export function parseHistory(text: string | null): readonly PastQuery[] {
  try {
    const value: unknown = JSON.parse(text ?? '[]')
    return Array.isArray(value) ? value.filter(isPastQuery).slice(0, entriesMax) : []
  } catch {
    return []
  }
}

/** Returns a short name of a query: that of its operation, or its first field. */
export function nameOf({ query }: Pick<PastQuery, 'query'>): string {
  const [, operation] = /\bquery\s+(\w+)/.exec(query) ?? []
  const [, field] = /\{\s*(\w+)/.exec(query) ?? []
  return (operation ?? field ?? 'Query').slice(0, 60)
}

export function readHistory(): readonly PastQuery[] {
  return parseHistory(quietStorage.getItem(storageName))
}

export function storeHistory(past: readonly PastQuery[]): void {
  if (past.length === 0) quietStorage.removeItem(storageName)
  else quietStorage.setItem(storageName, JSON.stringify(past))
}

function keyOf({ query, variables, chains }: PastQuery): string {
  return JSON.stringify([query, variables, chains])
}

function isPastQuery(value: unknown): value is PastQuery {
  if (typeof value !== 'object' || value === null) return false
  const { query, variables, chains, at } = value as Readonly<Record<string, unknown>>
  const isList = Array.isArray(chains) && chains.every((id) => Number.isSafeInteger(id))
  return typeof query === 'string' && typeof variables === 'string' && isList && Number.isSafeInteger(at)
}
