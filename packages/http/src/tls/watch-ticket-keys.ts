import { readFile } from 'node:fs/promises'
import { createBackgroundWork, repeat, type Time } from '@tallystick/base'
import type { Logger } from 'pino'

/** Size of the key that Node encrypts session tickets with. */
export const ticketKeyBytes = 48

const pollMs = 1_000

type TicketKeysOptions = {
  readonly current: Buffer
  readonly onChange: (key: Buffer) => void
  readonly log: Logger
  readonly time: Pick<Time, 'setTimer'>
}

/**
 * Calls `onChange` when the file has another key of session tickets. A file that is unreadable or has another length is
 * ignored, and the key in use stays. Returns a function that stops the watch.
 */
export function watchTicketKeys(path: string, { current, onChange, log, time }: TicketKeysOptions): () => void {
  let inUse = current
  const check = async () => {
    const found = await readFile(path)
    if (found.length !== ticketKeyBytes) throw new RangeError(`it has ${found.length} bytes, not ${ticketKeyBytes}`)
    if (found.equals(inUse)) return
    onChange(found)
    inUse = found
    log.info('key of TLS session tickets changed')
  }
  const checking = createBackgroundWork(check, (error) =>
    log.warn({ err: error }, 'key of TLS session tickets ignored; keeping the current one'),
  )
  return repeat(time, { name: 'TLS files', ms: pollMs }, checking.run).stop
}
