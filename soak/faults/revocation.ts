import { Agent } from 'node:https'
import { setTimeout } from 'node:timers/promises'
import { postAdmin } from '../clients/admin.ts'
import { call } from '../clients/call.ts'
import { type ReplicaName, replicaNames } from './fault.ts'
import type { Injector } from './injector.ts'

const promisedMs = 1_000
const pollMs = 25
const watchMs = 2_000

/** Creates a key, waits until both replicas accept it, revokes it on one and checks that both reject it in time. */
export async function checkRevocation(
  { environment, onViolation }: Pick<Injector, 'environment' | 'onViolation'>,
  { through }: { readonly through: ReplicaName },
): Promise<void> {
  const admin = environment.replicas[through]
  const created = await postAdmin(admin, { path: '/keys', body: { name: 'to be revoked', rpm: null } })
  const { key, secret } = created as { key: { id: string }; secret: string }
  const agent = new Agent({ ca: environment.authority.cert, keepAlive: true })
  const statusOn = (name: ReplicaName) =>
    call(`${environment.replicas[name].baseUrl}/notes`, { agent, headers: { 'x-api-key': secret } }).then(
      ({ status }) => status,
    )
  const watch = async (name: ReplicaName, { since, right }: { readonly since: number; readonly right: boolean }) => {
    for (;;) {
      const sentAt = Date.now()
      if (sentAt - since > watchMs) return
      // A failed connection says nothing about the key.
      const status = await statusOn(name).catch(() => undefined)
      const isAllowed = status === undefined ? right : status !== 403
      if (sentAt - since > promisedMs && isAllowed !== right) {
        const what = right ? 'a new key is still rejected' : 'a revoked key is still accepted'
        return onViolation(
          `${what} by replica ${name} ${sentAt - since} ms after ${right ? 'its creation' : 'its revocation'}`,
        )
      }
      if (right && status !== undefined && isAllowed) return
      await setTimeout(pollMs)
    }
  }
  const madeAt = Date.now()
  await Promise.all(replicaNames.map((name) => watch(name, { since: madeAt, right: true })))
  await postAdmin(admin, { path: `/keys/${key.id}/revoke` })
  const revokedAt = Date.now()
  await Promise.all(replicaNames.map((name) => watch(name, { since: revokedAt, right: false })))
  agent.destroy()
}
