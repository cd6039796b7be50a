import type { Clock } from '@tallystick/base'
import { exchange, findJson, type HttpError, headerOf } from '@tallystick/chain'
import { type Finding, parseJson } from '@tallystick/core'
import { adminUrlOf, type Config, chooseAdminToken, type Readiness } from '@tallystick/service'

export type RunningService = {
  readonly state: 'running'
  readonly url: string
  /** How far the service's clock is ahead of this machine's; its `Date` header has whole seconds. */
  readonly offsetMs: number
  /** Returns the body of the admin listener's response, whatever its status. */
  get<Body>(path: string): Promise<Body>
  /** Returns its readiness, also if it is of the release before. */
  readReadiness(): Promise<ServedReadiness>
}

export type ServedReadiness = Pick<Readiness, 'ready' | 'findings'>

/** Result of looking for a service at the admin listener's address. */
export type ServiceProbe =
  | RunningService
  | { readonly state: 'absent' | 'unauthorized'; readonly url: string }
  | { readonly state: 'unrecognized'; readonly url: string; readonly reason: string }

const timeoutMs = 5_000
// The list of metrics and a status of many chains have less than 1 MB.
const responseBytesMax = 16 * 1024 * 1024
// A smaller offset is due to the header's rounding and the network.
const offsetMsMin = 2_000

/** Looks for a running service of this configuration. Never throws. */
export async function findService(
  admin: Config['admin'],
  { clock, env }: { readonly clock: Clock; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<ServiceProbe> {
  const url = adminUrlOf(admin)
  if (admin.port === 0) return { state: 'absent', url }
  const request = (path: string) =>
    exchange({
      url: url + path,
      headers: { authorization: `Bearer ${chooseAdminToken(admin, env)}` },
      bytesMax: responseBytesMax,
      timeoutMs,
    })
  try {
    const requestedAtMs = clock.now()
    const response = await request('/healthz')
    const answeredAtMs = clock.now()
    if (response.status === 401) return { state: 'unauthorized', url }
    const body = findJson(response.bytes.toString()) as { readonly status?: unknown } | null | undefined
    if (body?.status !== 'ok') return { state: 'unrecognized', url, reason: `status ${response.status}` }
    const offsetMs = Date.parse(headerOf(response, 'date') ?? '') + 500 - (requestedAtMs + answeredAtMs) / 2
    const get = async <Body>(path: string) => {
      const answer = await request(path)
      if (answer.status === 403) throw new Error(`the admin token may not read ${path}`)
      return parseJson(answer.bytes.toString()) as Body
    }
    return {
      state: 'running',
      url,
      offsetMs: Math.abs(offsetMs) < offsetMsMin || Number.isNaN(offsetMs) ? 0 : offsetMs,
      get,
      readReadiness: async () => toReadiness(await get('/readyz')),
    }
  } catch (error) {
    const { code, failure, name } = error as HttpError
    if (code === 'ECONNREFUSED') return { state: 'absent', url }
    return { state: 'unrecognized', url, reason: failure === 'unreachable' ? code : (failure ?? name) }
  }
}

type CheckOf01 = { readonly name: string; readonly ok: boolean; readonly detail: string; readonly required: boolean }

/** An upgrade starts with the doctor of the new release beside a service of 0.1.0, which reports checks in another form. */
export function toReadiness(
  body: ServedReadiness | { readonly ready: boolean; readonly checks: readonly CheckOf01[] },
) {
  if ('findings' in body) return body
  const findings = body.checks.map(
    ({ name, ok, detail, required }): Finding => ({
      subject: name,
      severity: ok ? 'ok' : required ? 'unready' : 'warn',
      message: detail,
    }),
  )
  return { ready: body.ready, findings }
}
