import type { Operation } from '../document.ts'

export type Failure = {
  readonly code: string
  readonly status: string
  readonly meaning: string
  readonly example: unknown
}

/** Returns the errors of an operation, by status and code. */
export function listFailures({ responses }: Operation): readonly Failure[] {
  return Object.entries(responses)
    .filter(([status]) => /^[45]/.test(status))
    .flatMap(([status, { content }]) =>
      Object.entries(content?.['application/json']?.examples ?? {}).map(([code, { summary, value }]) => ({
        code,
        status,
        meaning: summary,
        example: value,
      })),
    )
}
