import { setTimeout } from 'node:timers/promises'
import { currentCoupons } from '@tallystick/sandbox'
import { postAdmin } from '../admin.ts'
import { tenors } from '../environment.ts'
import { limitedRpm } from '../load.ts'
import type { ServiceProcess } from '../service-process.ts'

const keyCount = 3
const retryMs = 500
const retriesMax = 60

/** Sets a curve and creates the keys through a replica, so that only its release writes the database. */
export async function prepareThroughAdmin(replica: ServiceProcess): Promise<readonly string[]> {
  const points = Object.fromEntries(tenors.map((tenor) => [tenor, currentCoupons[tenor]]))
  await setCurve(replica, { points, confirm: true })
  const limits = [limitedRpm, ...Array.from({ length: keyCount }, () => null)]
  const secrets: string[] = []
  for (const rpm of limits) {
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
