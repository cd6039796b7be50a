import type { KeyView, ReplicaReport } from '@tallystick/core'
import type { Tone } from '@tallystick/ui'

/** Describes which replicas know a change of a key, in the words of the command line. */
export function describeReplicas(
  { name, status, isEdited = false }: Pick<KeyView, 'name' | 'status'> & { readonly isEdited?: boolean },
  { confirmed, unconfirmed }: ReplicaReport,
): { readonly tone: Tone; readonly title: string; readonly text: string } {
  const title = `The key of ${name} ${isEdited ? 'is changed' : status === 'revoked' ? 'is revoked' : 'has a new secret'}`
  const count = confirmed.length + unconfirmed.length
  if (unconfirmed.length === 0) return { tone: 'good', title, text: `Every replica knows it (${count}).` }
  const names = unconfirmed.map((replica) => `${replica.name} (last seen ${replica.secondsSinceSeen} s ago)`)
  return {
    tone: 'warn',
    title: `${title}, but not every replica confirmed it`,
    text:
      `Not confirmed by ${unconfirmed.length} of ${count}: ${names.join(', ')}. Such a replica has stopped, or cannot reach ` +
      `the database and may still ${isEdited ? 'apply the old limits' : 'accept the old secret'}. Check that it has stopped, or stop it.`,
  }
}
