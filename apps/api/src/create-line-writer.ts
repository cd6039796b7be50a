import { fstatSync, write as writeFile, writeSync } from 'node:fs'
import { Socket } from 'node:net'
import type { Writable } from 'node:stream'

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
  /** The length of the lines that may wait. Further lines are dropped. */
  readonly waitingLengthMax?: number | undefined
}

/** Writes all bytes. `isCut` is true if some were written before the failure. */
type Sink = (bytes: Buffer, done: (error: Error | null | undefined, isCut: boolean) => void) => void

// 1 MiB of lines is several thousand: enough for a reader that pauses, and little beside the rest of the service.
const waitingLengthDefault = 1_048_576
// The size of a pipe's buffer on Linux.
const batchLength = 65_536
// A full disk is tried again after this. Until then lines wait.
const retryMs = 1_000
const flushMs = 1_000

/**
 * Creates a writer for stdout, stderr or a file. pino's own destination writes synchronously: a pipe that is not read
 * and a full disk stop the whole process with it (docs/decisions/0026-lines-that-cannot-be-written.md).
 */
export function createLineWriter(
  fd: number,
  { formatDropped, waitingLengthMax = waitingLengthDefault }: LineWriterOptions,
): LineWriter {
  const send = openSink(fd)
  const waiting = createWaiting(waitingLengthMax)
  let droppedTotal = 0
  let unreported = 0
  let isBusy = false
  let isCut = false
  const idleListeners: (() => void)[] = []

  const drop = (count: number) => {
    droppedTotal += count
    unreported += count
  }
  const becomeIdle = () => {
    for (const listener of idleListeners.splice(0)) listener()
  }
  const proceed = () => {
    isBusy = !waiting.isEmpty() || unreported > 0
    if (!isBusy) return becomeIdle()
    const lines = waiting.take(batchLength)
    const reported = unreported
    unreported = 0
    const report = reported > 0 ? formatDropped(reported) : ''
    send(Buffer.from((isCut ? '\n' : '') + report + lines.join('')), (error, cut) => {
      isCut = error ? isCut || cut : false
      if (!error) return proceed()
      unreported += reported
      drop(lines.length)
      becomeIdle()
      setTimeout(proceed, retryMs).unref()
    })
  }
  // After a crash too. A pipe is non-blocking here, so this cannot hang.
  process.once('exit', () => writeRest(fd, waiting.take(Number.POSITIVE_INFINITY).join('')))

  return {
    write: (line) => {
      if (!waiting.add(line)) drop(1)
      else if (!isBusy) proceed()
    },
    dropped: () => droppedTotal,
    flush: async () => {
      if (!isBusy) return
      const timeout = new Promise<void>((resolve) => setTimeout(resolve, flushMs))
      await Promise.race([new Promise<void>((resolve) => idleListeners.push(resolve)), timeout])
    },
  }
}

/** Creates a queue of lines that takes no more than a given length of them. */
function createWaiting(lengthMax: number) {
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
    /** Takes the oldest lines, until they are that long. */
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
  // Node writes pipes through its event loop. A reader that is gone is an error of the write, not of the process.
  const stream = openPipe(fd)
  stream.on('error', () => undefined)
  return (bytes, done) => stream.write(bytes, (error) => done(error, false))
}

function openPipe(fd: number): Writable {
  if (fd === 1) return process.stdout
  return fd === 2 ? process.stderr : new Socket({ fd, readable: false, writable: true })
}

/** Files and terminals: written by a thread of the pool, one at a time. */
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
    // Nothing can be told any more, and nobody could read it.
  }
}
