import type { Server, Socket } from 'node:net'
import { inSlices } from '@tallystick/base'

/** Undocumented member: bytes that the system has not taken yet. Node's own idle timeout uses it. */
type Handled = { readonly _handle?: { readonly writeQueueSize?: number } | null }

// A client on the slowest connection reads something within this time.
const defaultTimes = { unreadMs: 30_000, checkMs: 5_000 }

/**
 * Closes connections whose client has not read for 30 s although bytes wait for it, over TLS or not. A slow client that
 * reads is not affected. Bytes that the system has taken are not seen: they end with the idle connection.
 * Nothing is done per request.
 */
export function cutUnread(
  server: Server,
  onCut: () => void,
  { unreadMs, checkMs }: typeof defaultTimes = defaultTimes,
): void {
  const open = new Set<Socket>()
  const stuck = new Map<Socket, { readonly bytes: number; readonly sinceMs: number }>()
  server.on('connection', (socket: Socket) => {
    open.add(socket)
    socket.once('close', () => {
      open.delete(socket)
      stuck.delete(socket)
    })
  })
  const timer = setInterval(() => {
    const nowMs = performance.now()
    void inSlices(open, (socket) => {
      const bytes = (socket as Handled)._handle?.writeQueueSize ?? 0
      const before = stuck.get(socket)
      if (bytes === 0) stuck.delete(socket)
      else if (before?.bytes !== bytes) stuck.set(socket, { bytes, sinceMs: nowMs })
      else if (nowMs - before.sinceMs >= unreadMs) {
        // A close would leave the unread bytes in the memory of the system for minutes.
        socket.resetAndDestroy()
        onCut()
      }
    })
  }, checkMs)
  timer.unref()
  server.once('close', () => clearInterval(timer))
}
