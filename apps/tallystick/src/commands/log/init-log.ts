import { existsSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { createLogKeyText, type LogKey, parseLogKey } from '@tallystick/public-log'
import { readConfigJson } from '@tallystick/service'
import { formatVerifierKey, isOrigin } from '@tallystick/tlog'
import { invalidConfig } from '../../init/invalid-config.ts'

type InitOptions = {
  readonly config: string
  readonly origin?: string | undefined
  readonly out?: string | undefined
}

/** Creates the key of a public log in a new file. Returns its verifier key, which is public. */
export async function initLog(options: InitOptions) {
  const { origin, path } = chooseTarget(options)
  return { origin, path, verifierKey: await writeKeyFile(origin, path) }
}

/** Returns origin and file of the new key, from the options or the configuration. */
function chooseTarget({ config, ...options }: InitOptions) {
  const { log } = (existsSync(config) ? readConfigJson(config) : {}) as { log?: { origin?: unknown; key?: unknown } }
  const origin = options.origin ?? log?.origin
  if (typeof origin !== 'string' || !isOrigin(origin)) {
    throw invalidConfig(
      'Give the name of the log with --origin, such as notes.example/log, without spaces and plus signs.',
    )
  }
  const [, configured] = /^file:(.+)$/.exec(String(log?.key)) ?? []
  const path = options.out ?? (configured && resolve(dirname(config), configured))
  if (!path) throw invalidConfig('Give the file to write the key to with --out.')
  return { origin, path }
}

/** Writes a new key and returns its verifier key. Never overwrites a file: the old log could not continue without it. */
async function writeKeyFile(origin: string, path: string): Promise<string> {
  const text = createLogKeyText(origin)
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  try {
    await writeFile(path, `${text}\n`, { flag: 'wx', mode: 0o600 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST') throw invalidConfig(`${path} exists and was not changed. A log cannot change its key.`)
    throw invalidConfig(`The key cannot be written to ${path} (${code}).`)
  }
  return formatVerifierKey((parseLogKey(text) as LogKey).verifier)
}
