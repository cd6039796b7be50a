import { createBackgroundWork, repeat, type Time } from '@tallystick/base'
import type { Database } from './database.ts'

type ChangesOptions = {
  readonly channel: string
  readonly time: Pick<Time, 'setTimer'>
  readonly pollMs: number
  readonly refresh: () => Promise<void>
  readonly onFailure: (error: unknown) => void
}

/**
 * Calls `refresh` on each notification of a channel and, on PostgreSQL, every `pollMs`: notifications may be lost. Returns a
 * function that stops it. `onFailure` receives the first of several failures in a row.
 */
export async function followChanges(
  database: Pick<Database, 'engine' | 'listen'>,
  { channel, time, pollMs, refresh, onFailure }: ChangesOptions,
): Promise<() => Promise<void>> {
  const { run, stop } = createBackgroundWork(refresh, onFailure)
  const stopListening = await database.listen(channel, run)
  // Only this process can change an embedded database.
  const wait = { name: `changes of ${channel}`, ms: pollMs }
  const poll = database.engine === 'postgres' ? repeat(time, wait, run) : undefined
  return async () => {
    poll?.stop()
    await Promise.all([stop(), stopListening()])
  }
}
