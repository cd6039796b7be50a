import { chooseAdminToken } from '../admin/admin-tokens.ts'
import { adminUrlOf } from '../admin/admin-url.ts'
import type { Clock } from '../clock.ts'
import type { Config } from '../config.ts'

export type RunningService = {
  readonly state: 'running'
  readonly url: string
  /** How far the service's clock is ahead of this machine's; its `Date` header has whole seconds. */
  readonly offsetMs: number
  /** What the admin listener answers, whatever its status. */
  get<Body>(path: string): Promise<Body>
}

/** What is where the admin listener should be. */
export type ServiceProbe =
  | RunningService
  | { readonly state: 'absent'; readonly url: string }
  | { readonly state: 'unauthorized'; readonly url: string }
  | { readonly state: 'strange'; readonly url: string; readonly why: string }

const timeoutMs = 5_000
// Below this the offset is the header's rounding and the way of the answer.
const offsetMsMin = 2_000

/** Looks for a running service of this configuration. Never throws. */
export async function findService(
  admin: Config['admin'],
  { clock, env }: { readonly clock: Clock; readonly env: Readonly<Record<string, string | undefined>> },
): Promise<ServiceProbe> {
  const url = adminUrlOf(admin)
  if (admin.port === 0) return { state: 'absent', url }
  const ask = (path: string) =>
    fetch(url + path, {
      headers: { authorization: `Bearer ${chooseAdminToken(admin, env)}` },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
  try {
    const askedAtMs = clock.now()
    const response = await ask('/healthz')
    const answeredAtMs = clock.now()
    const body = (await response.json().catch(() => undefined)) as { readonly status?: unknown } | undefined
    if (response.status === 401) return { state: 'unauthorized', url }
    if (body?.status !== 'ok') return { state: 'strange', url, why: `status ${response.status}` }
    const offsetMs = Date.parse(response.headers.get('date') ?? '') + 500 - (askedAtMs + answeredAtMs) / 2
    return {
      state: 'running',
      url,
      offsetMs: Math.abs(offsetMs) < offsetMsMin || Number.isNaN(offsetMs) ? 0 : offsetMs,
      get: async <Body>(path: string) => {
        const answer = await ask(path)
        if (answer.status === 403) throw new Error(`the admin token may not read ${path}`)
        return answer.json() as Promise<Body>
      },
    }
  } catch (error) {
    const code = ((error as Error).cause as { readonly code?: string } | undefined)?.code
    if (code === 'ECONNREFUSED') return { state: 'absent', url }
    return { state: 'strange', url, why: code ?? (error as Error).name }
  }
}
