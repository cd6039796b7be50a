import type pg from 'pg'

// Two heartbeats without a response are a lost connection, so it is noticed within 4 s.
const heartbeatMsDefault = 2_000

/**
 * Sends a statement at an interval and destroys the connection if the server does not respond before the next one. A crashed
 * host and a firewall do not close a connection: without data to send, TCP does not notice.
 */
export function endIfSilent(client: pg.Client, heartbeatMs = heartbeatMsDefault): void {
  let isWaiting = false
  const heartbeat = setInterval(() => {
    if (isWaiting) return destroy(client)
    isWaiting = true
    client.query('select 1').then(
      () => {
        isWaiting = false
      },
      () => destroy(client),
    )
  }, heartbeatMs)
  heartbeat.unref()
  client.once('end', () => clearInterval(heartbeat))
}

/** Destroys the socket. `end` would wait for a server that does not respond. */
function destroy(client: pg.Client): void {
  const { connection } = client as unknown as { readonly connection: { readonly stream: { destroy(): void } } }
  connection.stream.destroy()
}
