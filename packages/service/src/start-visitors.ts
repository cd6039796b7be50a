import { createIdentifyCaller } from '@tallystick/http'
import { createSharedLimits, createVisitorLimits, openVisitorSecrets } from '@tallystick/keys'
import type { ServiceContext } from './service-context.ts'
import type { KeyParts } from './start-keys.ts'
import { createVisitorAccess, type VisitorAccess } from './visitors/visitor-access.ts'

/** Opens the page to people without a key. Returns undefined unless the configuration does so. */
export async function startVisitors(
  { config, database, time, log, metrics, closers, say }: ServiceContext,
  { leases: { keeper } }: Pick<KeyParts, 'leases'>,
): Promise<VisitorAccess | undefined> {
  const { visitors } = config.portal
  if (!visitors) return undefined
  const { requestsPerMinute } = visitors
  const secrets = await openVisitorSecrets({ database, time, log })
  closers.push('visitor secrets', () => secrets.close())
  const createLimit = createSharedLimits(keeper, { engine: database.engine })
  const limitOf = createVisitorLimits({ requestsPerMinute, createLimit, forgetLimit: keeper.forget, time })
  const identifyCaller = createIdentifyCaller(config.listen.proxy?.trust ?? [])
  say(`the page is open to visitors without a key: ${requestsPerMinute} requests a minute for each address`)
  return createVisitorAccess({ secrets, limitOf, identifyCaller, time, metrics })
}
