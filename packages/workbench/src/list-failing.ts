import { inspect } from 'node:util'

/**
 * Checks each member of a list that is one statement, and returns a line for each that fails: the member and what was
 * expected. The test expects no lines.
 */
export async function listFailing<Member>(
  members: readonly Member[],
  check: (member: Member) => unknown,
): Promise<readonly string[]> {
  const lines: string[] = []
  for (const member of members) {
    try {
      await check(member)
    } catch (error) {
      lines.push(`${print(member)}: ${describe(error)}`)
    }
  }
  return lines
}

function describe(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const { message, expected, actual } = error as Error & { readonly expected?: unknown; readonly actual?: unknown }
  // Vitest shortens both in its message.
  return 'expected' in error ? `${message} (expected ${print(expected)}, got ${print(actual)})` : message
}

function print(value: unknown): string {
  return inspect(value, { depth: 6, breakLength: Number.POSITIVE_INFINITY })
}
