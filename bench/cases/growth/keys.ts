import { createTime } from '@tallystick/base'
import { openDatabase } from '@tallystick/database'
import { createOperator, loadConfig } from '@tallystick/service'
import { createSite, type Site, setBenchCurve } from '../../service.ts'
import { getOf, measureRestarted, type Sample } from './sample.ts'

/** Measures `GET /notes` with all keys in turn. */
export async function measureKeys(count: number, url: string): Promise<Sample> {
  const site = createSite({ database: url })
  setBenchCurve(site)
  const secrets = await createKeys(site, { count, url })
  return measureRestarted(site, { time: (index) => getOf('/notes', secrets[index % count]) })
}

async function createKeys(
  site: Site,
  { count, url }: { readonly count: number; readonly url: string },
): Promise<readonly string[]> {
  const database = await openDatabase(url)
  const config = loadConfig(site.configPath, { env: site.env, secrets: 'required' })
  const operator = createOperator({ database, config, clock: createTime(), refreshKeys: async () => {} })
  const secrets: string[] = []
  for (let made = 0; made < count; made++) {
    const { secret } = await operator.createKey({ name: `key ${made}`, rpm: 1_000_000 })
    secrets.push(secret)
  }
  await database.close()
  return secrets
}
