import { fstatSync, write as writeFile, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'
import pino, { type Logger } from 'pino'
import { settleWithin } from './settle-within.ts'

/** Writes lines to a descriptor without ever blocking or throwing. Lines that cannot be written are dropped and counted. */
export type LineWriter = {
  /** Takes one line with its line feed. */
  write(line: string): void
  /** Returns how many lines have been dropped so far. */
  dropped(): number
  /** Resolves when all lines are written, a write has failed, or 1 s has passed. */
  flush(): Promise<void>
}

export type LineWriterOptions = {
  /** Creates the line that reports dropped lines. It is written as soon as writing works again. */
  readonly formatDropped: (count: number) => string
  /** Total length of the queued lines. Further lines are dropped. */
  readonly queueLengthMax?: number | undefined
}

/** Writes all bytes. `isCut` is true if some were written before the failure. */
type Sink = (bytes: Buffer, done: (error: Error | null | undefined, isCut: boolean) => void) => void

// 1 MiB is several thousand lines: enough for a reader that pauses, and little memory.
const queueLengthDefault = 1_048_576
// Size of a pipe buffer on Linux.
const batchLength = 65_536
// Retry delay after a failed write, such as on a full disk. Lines are queued meanwhile.
const retryMs = 1_000
const flushMs = 1_000

/**
 * Creates a writer for stdout, stderr or a file. pino's own destination writes synchronously, so a pipe without a reader
 * or a full disk would block the process (docs/decisions/0026-lines-that-cannot-be-written.md).
 */
export function createLineWriter(
  fd: number,
  { formatDropped, queueLengthMax = queueLengthDefault }: LineWriterOptions,
): LineWriter {
  const send = openSink(fd)
  const queue = createQueue(queueLengthMax)
  let droppedTotal = 0
  let unreported = 0
  let isBusy = false
  let isCut = false
  const idleListeners: (() => void)[] = []

  const drop = (count: number) => {
    droppedTotal += count
    unreported += count
  }
  const notifyIdle = () => {
    for (const listener of idleListeners.splice(0)) listener()
  }
  const proceed = () => {
    isBusy = !queue.isEmpty() || unreported > 0
    if (!isBusy) return notifyIdle()
    const lines = queue.take(batchLength)
    const reported = unreported
    unreported = 0
    const report = reported > 0 ? formatDropped(reported) : ''
    send(Buffer.from((isCut ? '\n' : '') + report + lines.join('')), (error, cut) => {
      isCut = error ? isCut || cut : false
      if (!error) return proceed()
      unreported += reported
      drop(lines.length)
      notifyIdle()
      setTimeout(proceed, retryMs).unref()
    })
  }
  // Runs after a crash too. Pipes are non-blocking, so this cannot hang.
  process.once('exit', () => writeRest(fd, queue.take(Number.POSITIVE_INFINITY).join('')))

  return {
    write: (line) => {
      if (!queue.add(line)) drop(1)
      else if (!isBusy) proceed()
    },
    dropped: () => droppedTotal,
    flush: async () => {
      if (!isBusy) return
      await settleWithin(new Promise<void>((resolve) => idleListeners.push(resolve)), flushMs)
    },
  }
}

/** Creates a queue of lines with a maximum total length. */
function createQueue(lengthMax: number) {
  const lines: string[] = []
  let length = 0
  return {
    isEmpty: () => lines.length === 0,
    add: (line: string): boolean => {
      if (length + line.length > lengthMax) return false
      lines.push(line)
      length += line.length
      return true
    },
    /** Removes the oldest lines, up to a total length. */
    take: (lengthWanted: number): string[] => {
      let taken = 0
      let count = 0
      while (count < lines.length && taken < lengthWanted) taken += (lines[count++] as string).length
      length -= taken
      return lines.splice(0, count)
    },
  }
}

function openSink(fd: number): Sink {
  const kind = fstatSync(fd)
  if (!kind.isFIFO() && !kind.isSocket()) return createFileSink(fd)
  // Node writes pipes through the event loop. If the reader has exited, the write fails, not the process.
  const stream = openPipe(fd)
  stream.on('error', () => undefined)
  return (bytes, done) => stream.write(bytes, (error) => done(error, false))
}

function openPipe(fd: number): Writable {
  if (fd === 1) return process.stdout
  return fd === 2 ? process.stderr : new Socket({ fd, readable: false, writable: true })
}

/** Creates the sink of a file or terminal. A thread of the pool writes, one write at a time. */
function createFileSink(fd: number): Sink {
  return (bytes, done) => {
    const writeFrom = (offset: number) => {
      writeFile(fd, bytes, offset, bytes.length - offset, null, (error, count) => {
        const written = offset + (error ? 0 : count)
        if (error?.code === 'EAGAIN') setTimeout(writeFrom, retryMs, written).unref()
        else if (error) done(error, written > 0)
        else if (written < bytes.length) writeFrom(written)
        else done(null, false)
      })
    }
    writeFrom(0)
  }
}

function writeRest(fd: number, text: string): void {
  const bytes = Buffer.from(text)
  let offset = 0
  try {
    while (offset < bytes.length) offset += writeSync(fd, bytes, offset)
  } catch {
    // The process exits. There is no other place to report this.
  }
}

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
