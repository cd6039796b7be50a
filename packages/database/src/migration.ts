/**
 * Step of a schema: a name, which never changes after its release, and its statements in order. Migrations of 0.1.0 have
 * only these. Every later one is reversible.
 */
export type Migration = {
  readonly name: string
  readonly statements: readonly string[]
} & Partial<Reversible>

type Reversible = {
  /** Release that adds the migration, such as `0.2.0`. */
  readonly since: string
  /** Oldest release whose replicas run on the schema after the migration: the release before `since` or an older one. */
  readonly worksWith: string
  /** Statements that remove what the migration added, in order. Without data of the older schema they change nothing. */
  readonly undo: readonly string[]
  /** Data that `undo` deletes, in words for the operator. */
  readonly loses: string
}

/** Applied migration, as the database records it. */
export type AppliedMigration = {
  readonly name: string
  /** Undefined for migrations of 0.1.0. */
  readonly since?: string | undefined
  readonly worksWith?: string | undefined
}

/** Compares two releases such as `0.10.0` and `0.9.1`. Negative if `a` is older. Throws if one is not three numbers. */
export function compareReleases(a: string, b: string): number {
  const [left, right] = [parseRelease(a), parseRelease(b)]
  const index = left.findIndex((part, place) => part !== right[place])
  return index < 0 ? 0 : (left[index] as number) - (right[index] as number)
}

function parseRelease(release: string): readonly number[] {
  if (!/^\d{1,6}(\.\d{1,6}){2}$/.test(release)) throw new Error(`"${release}" is not a release such as 0.2.0.`)
  return release.split('.').map(Number)
}
