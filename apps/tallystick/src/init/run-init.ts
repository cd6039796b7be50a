import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { TallystickError } from '@tallystick/core'
import { parseConfig } from '@tallystick/service'
import { buildAddition, buildFiles, type NewFile, schemaName } from './build-files.ts'
import { type CollectOptions, collectAnswers } from './collect-answers.ts'
import { addToText, readConfigText, refuseExisting, replaceConfig, writeFiles } from './config-file.ts'
import { invalidConfig } from './invalid-config.ts'
import { type Part, questionsFor } from './questions.ts'

export type InitOptions = Omit<CollectOptions, 'questions' | 'chainsTaken'> & {
  /** What is added to an existing configuration. Undefined: a new one is written. */
  readonly add?: Part | undefined
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
  /** Public key of the new log, which must be published. */
  readonly verifierKey: string | null
  /** Variables that the service needs and that are not set here. */
  readonly variables: readonly string[]
  /** The commands to run next. */
  readonly next: readonly string[]
}

/** Writes a configuration that the loader accepts, and the files of its secrets. On any failure nothing is written. */
export async function runInit(options: InitOptions): Promise<InitResult> {
  return options.add === undefined ? writeNewConfig(options) : addPart(options, options.add)
}

async function writeNewConfig({ configPath, schema, cwd, given, env, ask }: InitOptions): Promise<InitResult> {
  refuseExisting(resolve(cwd, configPath))
  const answers = await collectAnswers({ questions: questionsFor(undefined), given, env, ask })
  const { config, secrets, newSigner, verifierKey } = buildFiles(answers, { configPath, cwd })
  const schemaPath = join(dirname(config.path), schemaName)
  const files = [
    ...secrets,
    ...(existsSync(schemaPath) ? [] : [{ path: schemaPath, content: schema }]),
    // The last one: without it the others are not used.
    config,
  ]
  const variables = writeFiles(files, () => findUnsetVariables(config, env))
  const show = (path: string) => relative(cwd, path) || path
  return {
    config: show(config.path),
    files: files.map(({ path }) => show(path)),
    secrets: secrets.map(({ path }) => show(path)),
    newSigner: newSigner ?? null,
    verifierKey: verifierKey ?? null,
    variables,
    next: listNext(answers['curve'] === 'treasury', show(config.path)),
  }
}

/** Adds a chain or the log to a configuration. On any failure nothing is changed. */
async function addPart({ configPath, cwd, given, env, ask }: InitOptions, part: Part): Promise<InitResult> {
  const existing = readConfigText(resolve(cwd, configPath))
  const { path, value } = existing
  if (part === 'log' && value.log !== undefined) {
    throw invalidConfig(
      `${path} has the public log ${String(value.log?.origin)} already and is not changed. A log keeps its name and key.`,
    )
  }
  const chainsTaken = value.chains?.map(({ id }) => String(id))
  const answers = await collectAnswers({ questions: questionsFor(part), chainsTaken, given, env, ask })
  const { addition, secrets, verifierKey } = buildAddition(answers, { configPath, cwd })
  const content = addToText(existing, addition)
  const verify = () => findUnsetVariables({ path, content }, env)
  const variables = replaceConfig(existing, { content, secrets, verify })
  const show = (file: string) => relative(cwd, file) || file
  const shown = secrets.map((file) => show(file.path))
  return {
    config: show(path),
    files: [...shown, show(path)],
    secrets: shown,
    newSigner: null,
    verifierKey: verifierKey ?? null,
    variables,
    next: [`tallystick doctor${configOption(show(path))}`, `tallystick serve${configOption(show(path))}`],
  }
}

/** Loads the new configuration as `serve` does. Variables may be set for the service alone; other faults are thrown. */
function findUnsetVariables({ path, content }: NewFile, env: InitOptions['env']): string[] {
  try {
    parseConfig(JSON.parse(content), { path, env, secrets: 'required', baseDirectory: dirname(path) })
    return []
  } catch (error) {
    const { details, message } = error as TallystickError
    const faults = (details?.['faults'] ?? []) as readonly { readonly message: string }[]
    const names = faults.flatMap((fault) => /(?:^|: )the variable (\S+) is not set$/.exec(fault.message)?.[1] ?? [])
    if (faults.length > 0 && names.length === faults.length) return [...new Set(names)]
    throw invalidConfig(`${message}\nNothing was written. Correct the answers and run init again.`, details)
  }
}

function listNext(isTreasury: boolean, path: string): string[] {
  const option = configOption(path)
  const doctor = `tallystick doctor${option}`
  const serve = `tallystick serve${option}`
  if (isTreasury) return [doctor, serve, `tallystick keys create --name "First key"${option}`]
  return [doctor, `tallystick curve set 7=369 14=365 30=362 60=358 90=355 180=350 360=340${option}`, serve]
}

function configOption(path: string): string {
  if (path === 'tallystick.json') return ''
  return ` --config ${/^[\w./-]+$/.test(path) ? path : `'${path}'`}`
}
