import { request } from 'node:https'
import { createRecentResults, type LogEntry, parseLogEntry } from '@tallystick/core'
import {
  type Checkpoint,
  createVerifiedTree,
  decodeBundle,
  equalBytes,
  formatTilePath,
  parseVerifierKey,
  tileAt,
  type VerifierKey,
  verifyCheckpoint,
} from '@tallystick/tlog'
import { type Setting, secureContext, start, type TestService } from './harness.ts'

export const origin = 'notes.example/log'

/** Starts a service with a public log. `config.log` adds members to it. */
export function startLogged(
  setting: Omit<Setting, 'config'> & { readonly config?: Record<string, unknown> },
  ...defer: Parameters<typeof start> extends [unknown, ...infer Rest] ? Rest : never
): Promise<TestService> {
  const { log, ...config } = setting.config ?? {}
  const at = '2026-11-16T10:00:00-05:00'
  return start(
    { at, ...setting, config: { ...config, log: { origin, key: 'env:LOG_KEY', ...(log as object | undefined) } } },
    ...defer,
  )
}

// Tests read the same checkpoint again and again until there is a newer one.
const recallHead = createRecentResults<Checkpoint>()

export async function readHead(service: Pick<TestService, 'call'>): Promise<Checkpoint> {
  const key = (await service.call('/log/key')).body
  const note = (await service.call('/log/checkpoint')).body
  return recallHead(`${key}\n${note}`, () => verifyCheckpoint(note, parseVerifierKey(key) as VerifierKey))
}

/** Reads bytes of a path. */
export async function readBytes(
  { baseUrl }: Pick<TestService, 'baseUrl'>,
  path: string,
): Promise<{ readonly status: number; readonly bytes: Uint8Array }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(baseUrl + path, { secureContext, agent: false } as never, (incoming) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk) => chunks.push(chunk))
      incoming.on('error', reject)
      incoming.on('end', () => {
        resolve({ status: incoming.statusCode ?? 0, bytes: new Uint8Array(Buffer.concat(chunks)) })
      })
    })
    outgoing.on('error', reject).end()
  })
}

/** Reads the entries of a log of up to 256 entries that are public. */
export async function readEntries(service: TestService): Promise<LogEntry[]> {
  const { size } = await readHead(service)
  for (let width = size; width > 0; width--) {
    const { status, bytes } = await readBytes(service, `/log/${formatTilePath({ level: 'entries', index: 0, width })}`)
    if (status !== 200) continue
    return (decodeBundle(bytes) ?? []).map((line) => parseLogEntry(Buffer.from(line).toString()).entry as LogEntry)
  }
  return []
}

/** Returns whether the log of a service extends an older checkpoint, by its tiles. */
export async function isContinued(service: TestService, older: Checkpoint): Promise<boolean> {
  const read = async (path: string) => {
    const { status, bytes } = await readBytes(service, `/log/${path}`)
    return status === 200 ? { bytes } : {}
  }
  return equalBytes(await createVerifiedTree({ read }, await readHead(service)).rootAt(older.size), older.root)
}

/** Lists the paths of all tiles and bundles, of every width, of a log of up to 256 entries. */
export function listPaths(size: number): string[] {
  const widths = Array.from({ length: size }, (_, at) => at + 1)
  return ([0, 1, 'entries'] as const).flatMap((level) =>
    widths
      .filter((width) => width <= tileAt({ level, index: 0 }, size).width)
      .map((width) => `/log/${formatTilePath({ level, index: 0, width })}`),
  )
}
