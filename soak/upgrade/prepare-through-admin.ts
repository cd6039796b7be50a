import { setTimeout } from 'node:timers/promises'
import { currentCoupons } from '@tallystick/sandbox'
import { postAdmin } from '../clients/admin.ts'
import { keyLimits } from '../clients/load.ts'
import { tenors } from '../environment/environment.ts'
import type { ServiceProcess } from '../environment/service-process.ts'

const retryMs = 500
const retriesMax = 60

/** Sets a curve and creates the keys through a replica, so that only its release writes the database. */
export async function prepareThroughAdmin(replica: ServiceProcess): Promise<readonly string[]> {
  const points = Object.fromEntries(tenors.map((tenor) => [tenor, currentCoupons[tenor]]))
  await setCurve(replica, { points, confirm: true })
  const secrets: string[] = []
  for (const rpm of keyLimits) {
    const created = await postAdmin(replica, { path: '/keys', body: { name: 'soak', rpm } })
    secrets.push((created as { secret: string }).secret)
  }
  return secrets
}

/** Sets the curve. The replica refuses it until it has compared its clock with the chains. */
async function setCurve(replica: ServiceProcess, body: object): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await postAdmin(replica, { path: '/curve', body })
      return
    } catch (error) {
      if (tries === retriesMax) throw error
      await setTimeout(retryMs)
    }
  }
}
