import type { Config } from './config/config.ts'

/** Most connections to PostgreSQL that each part of a replica opens for statements. */
export const connectionsMax = { service: 10, index: 8, publicQueries: 4 } as const

// One for notifications, one for the lock of the event producer.
const serviceSessions = 2
// For the lock of the followers.
const indexSessions = 1

/**
 * Returns how many connections to PostgreSQL a replica holds at most. A cancelled statement and a rebuild of an index open
 * further ones for a short time.
 */
export function countConnections({ chains }: Pick<Config, 'chains'>): number {
  const service = connectionsMax.service + serviceSessions
  if (!chains.some(({ subgraph }) => subgraph?.embedded)) return service
  return service + connectionsMax.index + indexSessions + connectionsMax.publicQueries
}
