import pino, { type Logger } from 'pino'
import { createLineWriter, type LineWriter } from './create-line-writer.ts'

export type Log = { readonly log: Logger; readonly writer: LineWriter }

// pino's number for `warn`.
const warnLevel = 40

/** Opens a JSON log on a descriptor. */
export function openLog(fd: number, { level = 'info' }: { readonly level?: string | undefined } = {}): Log {
  const writer = createLineWriter(fd, {
    formatDropped: (dropped) =>
      `${JSON.stringify({ level: warnLevel, time: Date.now(), dropped, msg: 'log lines dropped' })}\n`,
  })
  return { log: pino({ level, base: null }, writer), writer }
}
