import type { Member } from './member.ts'

export const adminToken = 'soak'
// Longer than anything takes on a busy machine; what is not answered by then hangs.
const answerMs = 20_000

/** Asks the admin listener of a process; throws unless it answers well. */
export async function askAdmin(
  { adminUrl }: Pick<Member, 'adminUrl'>,
  { path, body }: { readonly path: string; readonly body?: object | undefined },
): Promise<unknown> {
  const headers = { authorization: `Bearer ${adminToken}`, ...(body && { 'content-type': 'application/json' }) }
  const signal = AbortSignal.timeout(answerMs)
  const sent = { method: 'POST', headers, signal, ...(body && { body: JSON.stringify(body) }) }
  const answer = await fetch(adminUrl + path, sent)
  if (!answer.ok) throw new Error(`The admin listener answered ${answer.status} to ${path}: ${await answer.text()}`)
  return answer.json()
}

export type Readiness = {
  readonly ready: boolean
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail: string }[]
}

/** What `/readyz` of a process says; undefined if it says nothing. */
export async function readReadiness({ adminUrl }: Pick<Member, 'adminUrl'>): Promise<Readiness | undefined> {
  const headers = { authorization: `Bearer ${adminToken}` }
  try {
    const answer = await fetch(`${adminUrl}/readyz`, { headers, signal: AbortSignal.timeout(answerMs) })
    return (await answer.json()) as Readiness
  } catch {
    return undefined
  }
}
