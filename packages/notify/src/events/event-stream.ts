import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import type { Writable } from 'node:stream'
import type { KeyScope } from '@tallystick/core'
import type { EventFilter } from './event-filter.ts'
import type { EndReason } from './event-metrics.ts'

/** Open response of `GET /events`. */
export type EventStream = EventFilter & {
  readonly scopes: readonly KeyScope[]
  /** Hash of the key's secret, so that the secret is not kept. */
  readonly keyHash: string
  /** Id of the newest event that was sent or filtered out. */
  sentId: bigint
  readonly isOpen: () => boolean
  /** Writes bytes. Ends the stream instead if too many bytes still wait for the client. */
  write(bytes: Buffer | string): void
  /** Writes bytes and waits until the client has read most of them. */
  writeAndWait(bytes: Buffer | string): Promise<void>
  /** Ends the stream if bytes have been waiting for the client since the call before. */
  cutIfStalled(): void
  end(reason: EndReason): void
}

// A set of notes has about 4 KB. A client that has not read this much is cut and resumes when it can.
const pendingBytesMax = 128 * 1024
// Time in which the client must read the bytes of `writeAndWait`, and the last bytes of a stream that ends.
const waitMs = 15_000
const lingerMs = 1_000

/** Creates a stream on a response whose headers were sent and whose body is written to `output`. Calls `onEnd` once. */
export function createEventStream(
  { response, output }: { readonly response: ServerResponse; readonly output: Writable },
  {
    onEnd,
    ...fields
  }: Pick<EventStream, 'scopes' | 'keyHash' | 'sentId' | 'types' | 'chainId'> & {
    readonly onEnd: (reason: EndReason) => void
  },
): EventStream {
  let ended: EndReason | undefined
  let wasPending = false
  const finish = (reason: EndReason) => {
    if (ended !== undefined) return false
    ended = reason
    onEnd(reason)
    return true
  }
  const cut = () => {
    if (finish('slow')) response.destroy()
  }
  const write = (bytes: Buffer | string) => {
    // A client may have closed its half of the connection already.
    if (ended !== undefined || !output.writable) return
    if (output.writableLength > pendingBytesMax) cut()
    else output.write(bytes)
  }
  response.once('close', () => finish('client'))
  // A failed write also closes the response.
  response.on('error', () => undefined)
  return {
    ...fields,
    isOpen: () => ended === undefined,
    write,
    writeAndWait: async (bytes) => {
      write(bytes)
      if (ended !== undefined || !output.writableNeedDrain) return
      const signal = AbortSignal.timeout(waitMs)
      const closed = once(response, 'close', { signal })
      await Promise.race([once(output, 'drain', { signal }), closed]).catch(cut)
    },
    cutIfStalled: () => {
      const isPending = output.writableLength > 0
      if (isPending && wasPending) cut()
      wasPending = isPending
    },
    end: (reason) => {
      if (!finish(reason)) return
      response.end()
      const linger = setTimeout(() => response.destroy(), lingerMs).unref()
      response.once('close', () => clearTimeout(linger))
    },
  }
}
