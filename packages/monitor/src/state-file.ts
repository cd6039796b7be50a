import { randomBytes } from 'node:crypto'
import { readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { syncDirectory } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { decodeBase64, equalBytes, rootOfEdge } from '@tallystick/tlog'
import { createState, decodeEdge, type MonitorState, monitorStateSchema } from './monitor-state.ts'

/** Reads the state of a log. Returns a new state if there is no file. Throws if it is damaged or of another log. */
export async function loadState(path: string, key: string): Promise<MonitorState> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw unusable(`The state file ${path} cannot be read (${error.code}).`, error)
  })
  if (text === undefined) return createState(key)
  const state = parseState(text)
  if (!state) {
    throw unusable(
      `The state file ${path} is damaged or of a newer version. Restore it from a copy. Without it the monitor forgets which ` +
        'checkpoints it saw: delete it only if you accept that.',
    )
  }
  if (state.key === key) return state
  throw unusable(
    `The state file ${path} is of the log ${state.key.split('+')[0]} with the key ${state.key}, not of ${key}. ` +
      'Use another file for each log and key.',
  )
}

function parseState(text: string): MonitorState | undefined {
  try {
    const state = monitorStateSchema.parse(JSON.parse(text))
    const { checkpoint, edge, checked } = state
    const size = checkpoint?.size ?? 0
    const decoded = decodeEdge(size, edge)
    if (!decoded || checked > size) return undefined
    const root = checkpoint && decodeBase64(checkpoint.root)
    return !checkpoint || (root && equalBytes(rootOfEdge(size, decoded), root)) ? state : undefined
  } catch {
    return undefined
  }
}

/** Replaces the file in one step, so that a crash leaves the old state or the new one. Only its owner may read it. */
export async function saveState(path: string, state: MonitorState): Promise<void> {
  const draft = `${path}.${randomBytes(6).toString('hex')}`
  try {
    await writeFile(draft, `${JSON.stringify(state)}\n`, { flag: 'wx', mode: 0o600, flush: true })
    await rename(draft, path)
    await syncDirectory(dirname(resolve(path)))
  } catch (error) {
    await rm(draft, { force: true })
    throw unusable(`The state file ${path} cannot be written (${(error as NodeJS.ErrnoException).code}).`, error)
  }
}

function unusable(message: string, cause?: unknown): TallystickError {
  return new TallystickError({ code: 'invalid_config', message, retryable: false, cause })
}
