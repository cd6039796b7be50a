import { constants, type Http2SecureServer, type ServerHttp2Session } from 'node:http2'
import { groupOfAddress } from '../request/address-group.ts'

/** What the clients of one IPv4 address or IPv6 /64 may still reset. */
type Allowance = { left: number; countedMs: number; sessions: number }

// All streams of two connections at once, and then as many per second as nghttp2 allows a connection.
const burst = 200
const perSecond = 33

/**
 * Ends an HTTP/2 connection with ENHANCE_YOUR_CALM when its client resets streams faster than its address may. Opening and
 * resetting a stream takes 50 µs of the main thread and no bandwidth. Streams that the server must reset count too.
 */
export function limitResets(server: Http2SecureServer, onCut: () => void): void {
  const allowances = new Map<string, Allowance>()
  const ofSession = new WeakMap<ServerHttp2Session, Allowance>()
  server.on('session', (session) => {
    const group = groupOfAddress(session.socket.remoteAddress ?? '')
    const allowance = allowances.get(group) ?? { left: burst, countedMs: performance.now(), sessions: 0 }
    allowance.sessions += 1
    allowances.set(group, allowance)
    ofSession.set(session, allowance)
    session.once('close', () => {
      allowance.sessions -= 1
      if (allowance.sessions === 0) allowances.delete(group)
    })
  })
  server.on('stream', (stream) => {
    // Emitted while the frame is read, so that the frames after it are not.
    stream.once('aborted', () => {
      const { session } = stream
      // The end of a connection aborts its streams too.
      if (!session || session.destroyed || session.socket.destroyed) return
      const allowance = ofSession.get(session as ServerHttp2Session)
      if (!allowance || takeReset(allowance)) return
      session.destroy(undefined, constants.NGHTTP2_ENHANCE_YOUR_CALM)
      onCut()
    })
  })
}

function takeReset(allowance: Allowance): boolean {
  const nowMs = performance.now()
  const gained = ((nowMs - allowance.countedMs) / 1_000) * perSecond
  allowance.left = Math.min(burst, allowance.left + gained)
  allowance.countedMs = nowMs
  if (allowance.left < 1) return false
  allowance.left -= 1
  return true
}
