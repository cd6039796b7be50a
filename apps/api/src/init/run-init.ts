import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { TallystickError } from '@tallystick/core'
import { loadConfig } from '../config.ts'
import { buildFiles, schemaName } from './build-files.ts'
import { type CollectOptions, collectAnswers } from './collect-answers.ts'
import { refuseExisting, writeFiles } from './write-files.ts'

export type InitOptions = CollectOptions & {
  /** File to write. */
  readonly configPath: string
  readonly schema: string
  /** Directory of the paths in answers. */
  readonly cwd: string
}

export type InitResult = {
  readonly config: string
  /** All files that were written. */
  readonly files: readonly string[]
  readonly secrets: readonly string[]
  /** Address of the new signer, which the pool must register. */
  readonly newSigner: string | null
  /** Variables that the service needs and that are not set here. */
  readonly variables: readonly string[]
  /** The commands to run next. */
  readonly next: readonly string[]
}

/** Writes a configuration that the loader accepts, and the files of its secrets. On any failure nothing is written. */
export async function runInit({ configPath, schema, cwd, ...options }: InitOptions): Promise<InitResult> {
  refuseExisting(resolve(cwd, configPath))
  const answers = await collectAnswers(options)
  const { config, secrets, newSigner } = buildFiles(answers, { configPath, cwd })
  const schemaPath = join(dirname(config.path), schemaName)
  const files = [
    ...secrets,
    ...(existsSync(schemaPath) ? [] : [{ path: schemaPath, content: schema }]),
    // The last one: without it the others are not used.
    config,
  ]
  let variables: string[] = []
  writeFiles(files, () => {
    variables = findUnsetVariables(config.path, options.env)
  })
  const show = (path: string) => relative(cwd, path) || path
  return {
    config: show(config.path),
    files: files.map(({ path }) => show(path)),
    secrets: secrets.map(({ path }) => show(path)),
    newSigner: newSigner ?? null,
    variables,
    next: listNext(answers['curve'] === 'treasury', show(config.path)),
  }
}

/** Loads the new configuration as `serve` does. Variables may be set for the service alone; other faults are thrown. */
function findUnsetVariables(path: string, env: InitOptions['env']): string[] {
  try {
    loadConfig(path, { env, secrets: 'required' })
    return []
  } catch (error) {
    const { details, message } = error as TallystickError
    const faults = (details?.['faults'] ?? []) as readonly { readonly message: string }[]
    const names = faults.flatMap((fault) => /(?:^|: )the variable (\S+) is not set$/.exec(fault.message)?.[1] ?? [])
    if (faults.length > 0 && names.length === faults.length) return [...new Set(names)]
    throw new TallystickError({
      code: 'invalid_config',
      message: `${message}\nNothing was written. Correct the answers and run init again.`,
      retryable: false,
      details,
    })
  }
}

function listNext(isTreasury: boolean, path: string): string[] {
  const option = path === 'tallystick.json' ? '' : ` --config ${/^[\w./-]+$/.test(path) ? path : `'${path}'`}`
  const doctor = `tallystick doctor${option}`
  const serve = `tallystick serve${option}`
  if (isTreasury) return [doctor, serve, `tallystick keys create --name "First key"${option}`]
  return [doctor, `tallystick curve set 7=369 14=365 30=362 60=358 90=355 180=350 360=340${option}`, serve]
}
