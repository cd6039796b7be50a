import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import {
  type Announcement,
  announceReplica,
  createLeases,
  createSharedLimits,
  type KeyRing,
  type KeyUsageRecorder,
  type Leases,
  openKeyRing,
  startKeyUsageRecorder,
} from '@tallystick/keys'
import { addHostMetrics } from './host-metrics.ts'
import { release } from './release.ts'
import type { ServiceContext } from './service-context.ts'

/** Running parts of the API keys. */
export type KeyParts = {
  readonly keyRing: KeyRing
  readonly replica: Announcement
  readonly keyUsage: KeyUsageRecorder
  readonly leases: Leases
}

/** Loads the keys, announces this replica to the others, and shares the limits of keys with them. */
export async function startKeys(context: ServiceContext): Promise<KeyParts> {
  const { config, time, database, log, metrics, closers, say } = context
  const { writers = {}, limits: test } = context.options
  const id = randomUUID()
  const leases = createLeases({ database, id, log, time, test })
  const createLimit = createSharedLimits(leases.keeper, { engine: database.engine })
  const keyRing = await openKeyRing({ database, time, log, createLimit })
  closers.push('keys', () => keyRing.close())
  closers.push('metrics', addHostMetrics(metrics, { keyRing, time, writers }))
  const keyUsage = startKeyUsageRecorder({ database, keyRing, time, log })
  closers.push('key usage', () => keyUsage.stop())
  const name = `${hostname()}:${config.listen.port}`
  const onRestored = leases.keeper.restart
  const replica = await announceReplica(database, { id, name, release, keyRing, time, log, onRestored })
  closers.push('replica', () => replica.stop())
  await leases.start()
  closers.push('limits of keys', () => leases.stop())
  say(`${keyRing.size} API key${keyRing.size === 1 ? '' : 's'} in force`)
  return { keyRing, replica, keyUsage, leases }
}
