import type { PGlite } from '@electric-sql/pglite'

/** Runs a statement that was prepared before; undefined if it cannot be run so. */
export type RunPrepared = <Row extends object>(
  text: string,
  parameters: readonly unknown[],
) => Promise<Row[]> | undefined

// Each takes some memory; texts beyond these are planned each time.
const preparedMax = 300

/**
 * Returns a function that reads and plans each text once. By SQL's own PREPARE: the driver would cross into the engine
 * six times for a statement, this is one time, and planning is half of what a short one takes there.
 */
export function createPrepared(pglite: Pick<PGlite, 'exec'>): RunPrepared {
  const names = new Map<string, Promise<string>>()
  let lastNumber = 0
  const prepare = async (text: string) => {
    lastNumber += 1
    const name = `"tallystick ${lastNumber}"`
    try {
      await pglite.exec(`prepare ${name} as ${text}`)
      return name
    } catch (error) {
      names.delete(text)
      throw error
    }
  }
  const nameOf = (text: string) => {
    const known = names.get(text)
    if (known || names.size >= preparedMax) return known
    const name = prepare(text)
    names.set(text, name)
    return name
  }
  return <Row extends object>(text: string, parameters: readonly unknown[]) => {
    const literals = parameters.map(formatLiteral)
    const name = literals.includes(undefined) ? undefined : nameOf(text)
    return name?.then(async (known) => {
      const [result] = await pglite.exec(`execute ${known}${literals.length > 0 ? `(${literals.join(', ')})` : ''}`)
      return (result?.rows ?? []) as Row[]
    })
  }
}

/** A text as SQL writes it; what else there may be is left to the driver. */
function formatLiteral(parameter: unknown): string | undefined {
  if (parameter === null) return 'null'
  // A NUL character ends a statement, and PostgreSQL has no text with one.
  if (typeof parameter !== 'string' || parameter.includes('\0')) return undefined
  return `'${parameter.replaceAll("'", "''")}'`
}
