import type { Finding } from '@tallystick/core'
import type { ServiceProcess } from '../environment/service-process.ts'

export const adminToken = 'soak'
// Longer than any request takes on a busy machine.
const answerMs = 20_000

/** Sends a POST request to the admin listener of a process. Throws if the response is not successful. */
export async function postAdmin(
  { adminUrl }: Pick<ServiceProcess, 'adminUrl'>,
  { path, body }: { readonly path: string; readonly body?: object | undefined },
): Promise<unknown> {
  const headers = { authorization: `Bearer ${adminToken}`, ...(body && { 'content-type': 'application/json' }) }
  const signal = AbortSignal.timeout(answerMs)
  const sent = { method: 'POST', headers, signal, ...(body && { body: JSON.stringify(body) }) }
  const answer = await fetch(adminUrl + path, sent)
  if (!answer.ok)
    throw new Error(`The admin listener responded with ${answer.status} to ${path}: ${await answer.text()}`)
  return answer.json()
}

export type Readiness = {
  readonly ready: boolean
  readonly findings: readonly Finding[]
}

/** Returns the readiness of a process, or undefined if it does not respond. */
export async function readReadiness({ adminUrl }: Pick<ServiceProcess, 'adminUrl'>): Promise<Readiness | undefined> {
  const headers = { authorization: `Bearer ${adminToken}` }
  try {
    const answer = await fetch(`${adminUrl}/readyz`, { headers, signal: AbortSignal.timeout(answerMs) })
    return (await answer.json()) as Readiness
  } catch {
    return undefined
  }
}
