import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { askAdmin } from './admin.ts'
import { call } from './call.ts'
import { type ReplicaName, replicaNames } from './fault.ts'
import type { Injector } from './injector.ts'

const promisedMs = 1_000
const lookMs = 25
const lookForMs = 2_000

/** Makes a key, has it known everywhere, revokes it through one replica, and watches both refuse it in time. */
export async function checkRevocation(
  { world, onViolation }: Pick<Injector, 'world' | 'onViolation'>,
  { through }: { readonly through: ReplicaName },
): Promise<void> {
  const admin = world.replicas[through]
  const created = await askAdmin(admin, { path: '/keys', body: { name: 'to be revoked', rpm: null } })
  const { key, secret } = created as { key: { id: string }; secret: string }
  const agent = new Agent({ ca: world.authority.cert, keepAlive: true })
  const statusOn = (name: ReplicaName) =>
    call(`${world.replicas[name].baseUrl}/notes`, { agent, headers: { 'x-api-key': secret } }).then(
      ({ status }) => status,
    )
  const watch = async (name: ReplicaName, { since, right }: { readonly since: number; readonly right: boolean }) => {
    for (;;) {
      const sentAt = Date.now()
      if (sentAt - since > lookForMs) return
      // A connection that fails says nothing of the key.
      const status = await statusOn(name).catch(() => undefined)
      const isAllowed = status === undefined ? right : status !== 403
      if (sentAt - since > promisedMs && isAllowed !== right) {
        const what = right ? 'a new key is still refused' : 'a revoked key is still let in'
        return onViolation(`${what} by replica ${name} ${sentAt - since} ms after ${right ? 'its making' : 'its end'}`)
      }
      if (right && status !== undefined && isAllowed) return
      await setTimeout(lookMs)
    }
  }
  const madeAt = Date.now()
  await Promise.all(replicaNames.map((name) => watch(name, { since: madeAt, right: true })))
  await askAdmin(admin, { path: `/keys/${key.id}/revoke` })
  const revokedAt = Date.now()
  await Promise.all(replicaNames.map((name) => watch(name, { since: revokedAt, right: false })))
  agent.destroy()
}
