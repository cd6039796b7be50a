import { TallystickError } from '@tallystick/core'
import pg from 'pg'

// A stock PostgreSQL compiles a statement that its planner overestimates, which takes up to a second each time.
const jit = 'off'
// SQLSTATE protocol_violation, with which PgBouncer refuses startup parameters that it does not know.
const isRefused = (error: unknown) => (error as { readonly code?: unknown }).code === '08P01'

/**
 * Opens a connection pool and checks that the server responds. Its sessions have the settings as startup options, so that
 * a reset of the session (`discard all`) keeps them, and set them once more: a pooler may ignore the options, or refuse the
 * connection because of them. Throws if the settings do not last, as behind a pooler that resets after each transaction.
 */
export async function openPool({
  statementTimeoutMs,
  ...config
}: pg.PoolConfig & { readonly statementTimeoutMs: number }): Promise<pg.Pool> {
  const settings = Object.entries({ jit, statement_timeout: statementTimeoutMs })
  const onConnect: pg.PoolConfig['onConnect'] = async (client) => {
    await client.query(settings.map(([name, value]) => `set ${name} = ${value}`).join('; '))
  }
  try {
    const options = settings.map(([name, value]) => `-c ${name}=${value}`).join(' ')
    return await open({ ...config, onConnect, options })
  } catch (error) {
    if (!isRefused(error)) throw error
    return open({ ...config, onConnect })
  }
}

async function open(config: pg.PoolConfig): Promise<pg.Pool> {
  const pool = new pg.Pool(config)
  // The pool replaces an idle connection that the server drops. Without a listener the error would end the process.
  pool.on('error', () => undefined)
  try {
    const { rows } = await pool.query("select current_setting('jit') as jit")
    if (rows[0]?.jit !== jit) throw resetError()
    return pool
  } catch (error) {
    await pool.end()
    throw error
  }
}

function resetError(): TallystickError {
  return new TallystickError({
    code: 'invalid_config',
    message:
      'The pooler of the database URL resets the session after each transaction. Locks and notifications need a session ' +
      'that lasts. Set its pool_mode to session, or use the URL of PostgreSQL itself.',
    retryable: false,
  })
}
