import type { Socket } from 'node:net'

// Time for the client to read the last bytes.
const lingerMs = 2_000

/**
 * Sends the last bytes of a connection and destroys it after at most 2 s, because the client may never close its side.
 * Incoming bytes are read and dropped: closing with unread bytes would reset the connection before the client has read
 * the last bytes.
 */
export function endConnection(socket: Socket, lastBytes: string): void {
  const linger = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(linger))
  socket.resume()
  socket.end(lastBytes)
}
