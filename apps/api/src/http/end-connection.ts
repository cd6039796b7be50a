import type { Socket } from 'node:net'

// Long enough for the last bytes to be read before the connection is gone.
const lingerMs = 2_000

/**
 * Sends the last bytes of a connection and destroys it after 2 s at the latest: a client that keeps its side open would hold
 * it for ever. What it still sends is read and dropped, because closing on unread bytes would reset the connection
 * before the last bytes are read.
 */
export function endConnection(socket: Socket, lastBytes: string): void {
  const linger = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(linger))
  socket.resume()
  socket.end(lastBytes)
}
