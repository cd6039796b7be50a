import type { Clock } from '@tallystick/base'
import { exchange, type HttpAnswer, type HttpError, headerOf } from '@tallystick/chain'
import { parseJson } from '@tallystick/core'
import { adminUrlOf, type Config, chooseAdminToken } from '@tallystick/service'

export type RunningService = {
  readonly state: 'running'
  readonly url: string
  /** How far the service's clock is ahead of this machine's; its `Date` header has whole seconds. */
  readonly offsetMs: number
  /** Returns the body of the admin listener's response, whatever its status. */
  get<Body>(path: string): Promise<Body>
}

/** Result of looking for a service at the admin listener's address. */
export type ServiceProbe =
  | RunningService
  | { readonly state: 'absent'; readonly url: string }
  | { readonly state: 'unauthorized'; readonly url: string }
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
    const body = findJson(response) as { readonly status?: unknown } | null | undefined
    if (body?.status !== 'ok') return { state: 'unrecognized', url, reason: `status ${response.status}` }
    const offsetMs = Date.parse(headerOf(response, 'date') ?? '') + 500 - (requestedAtMs + answeredAtMs) / 2
    return {
      state: 'running',
      url,
      offsetMs: Math.abs(offsetMs) < offsetMsMin || Number.isNaN(offsetMs) ? 0 : offsetMs,
      get: async <Body>(path: string) => {
        const answer = await request(path)
        if (answer.status === 403) throw new Error(`the admin token may not read ${path}`)
        return parseJson(answer.bytes.toString()) as Body
      },
    }
  } catch (error) {
    const { code, failure, name } = error as HttpError
    if (code === 'ECONNREFUSED') return { state: 'absent', url }
    return { state: 'unrecognized', url, reason: failure === 'unreachable' ? code : (failure ?? name) }
  }
}

function findJson({ bytes }: HttpAnswer): unknown {
  try {
    return parseJson(bytes.toString())
  } catch {
    return undefined
  }
}
