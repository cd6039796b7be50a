import { createClosers, createMetrics } from '@tallystick/base'
import type { Follower } from '@tallystick/subgraph'
import { openServiceDatabase } from './database/service-database.ts'
import { watchDatabase } from './database/watch-database.ts'
import { metricHelp } from './metric-help.ts'
import type { ServiceOptions } from './service-context.ts'
import { startListeners } from './start-listeners.ts'
import { startParts } from './start-parts.ts'

export type Service = {
  readonly baseUrl: string
  readonly adminUrl: string
  /** Followers of the embedded subgraphs. */
  readonly followers: readonly Pick<Follower, 'status'>[]
  /**
   * Stops accepting connections, finishes pending requests and closes everything. Throws if parts fail or do not end within
   * `listen.shutdownSeconds`. The log names them.
   */
  stop(): Promise<void>
}

/** Starts the whole service: database, keys, notes, subgraphs, both listeners. Closes what it opened if a step fails. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { config, time, log, say } = options
  const closers = createClosers()
  const stop = async () => {
    const seconds = config.listen.shutdownSeconds
    const parts = await closers.close(seconds * 1_000)
    if (parts.length === 0) return
    log.error({ parts, seconds }, 'shutdown incomplete; these parts did not end')
    throw new Error(`these parts did not end within ${seconds} s: ${parts.join(', ')}`)
  }
  try {
    const opened = options.database ?? (await openServiceDatabase(config.database.reveal(), say))
    closers.push('database', () => opened.close())
    const metrics = createMetrics(metricHelp)
    const { database, checkDatabase } = watchDatabase(opened, { metrics, time })
    const context = { config, database, checkDatabase, time, metrics, log, say, closers, options }
    const parts = await startParts(context)
    const { baseUrl, adminUrl } = await startListeners(context, parts)
    const followers = [...parts.indexes.embedded.values()].map(({ follower }) => follower)
    return { baseUrl, adminUrl, followers, stop }
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
}
