import { findPostgres, type PostgresSearch } from '../../packages/workbench/src/find-postgres.ts'

/**
 * Returns why the tests of PostgreSQL are skipped, or undefined if they run.
 *
 * With `TALLYSTICK_POSTGRES=none` they are. A machine without any PostgreSQL skips them too, except in CI or if
 * `TALLYSTICK_POSTGRES` names one: the start then says what is missing.
 */
export async function findMissingPostgres(
  env: NodeJS.ProcessEnv = process.env,
  search: PostgresSearch = {},
): Promise<string | undefined> {
  const wanted = env['TALLYSTICK_POSTGRES']
  if (wanted === 'none') return 'TALLYSTICK_POSTGRES=none.'
  if (wanted || env['CI']) return undefined
  return findPostgres(search).then(
    () => undefined,
    (error: Error) => error.message,
  )
}
