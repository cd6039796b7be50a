import { existsSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { TallystickError } from '@tallystick/core'
import { parseConfig } from '@tallystick/service'
import { buildAddition, buildFiles, type NewFile, schemaName } from './build-files.ts'
import { type CollectOptions, collectAnswers } from './collect-answers.ts'
import { addToText, readConfigText, refuseExisting, replaceConfig, writeFiles } from './config-file.ts'
import { invalidConfig } from './invalid-config.ts'
import { type Answers, type Part, questionsFor, questionsForNextChain } from './questions.ts'

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

async function writeNewConfig(options: InitOptions): Promise<InitResult> {
  const { configPath, schema, cwd, env } = options
  refuseExisting(resolve(cwd, configPath))
  const answers = await collectAnswers({ ...options, questions: questionsFor(undefined) })
  const furtherChains = options.ask ? await collectFurtherChains(options, answers) : []
  const { config, secrets, newSigner, verifierKey } = buildFiles(answers, furtherChains, { configPath, cwd })
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
    next: listNext(answers['curve'] === 'treasury').map((line) =>
      toCommandLine(line, { env, path: show(config.path) }),
    ),
  }
}

/** Adds a chain or the log to a configuration. On any failure nothing is changed. */
async function addPart(options: InitOptions, part: Part): Promise<InitResult> {
  const { configPath, cwd, env } = options
  const existing = readConfigText(resolve(cwd, configPath))
  const { path, value } = existing
  if (part === 'log' && value.log !== undefined) {
    throw invalidConfig(
      `${path} has the public log ${String(value.log?.origin)} already and is not changed. A log keeps its name and key.`,
    )
  }
  const chainsTaken = value.chains?.map(({ id }) => String(id))
  const answers = await collectAnswers({ ...options, questions: questionsFor(part), chainsTaken })
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
    next: ['doctor', 'serve'].map((line) => toCommandLine(line, { env, path: show(path) })),
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

/** Asks for chains until the user has no more. */
async function collectFurtherChains(options: InitOptions, first: Answers): Promise<readonly Answers[]> {
  const chains: Answers[] = []
  for (;;) {
    const chainsTaken = [first, ...chains].map(({ chain = '' }) => chain)
    const answers = await collectAnswers({ ...options, given: {}, questions: questionsForNextChain(), chainsTaken })
    if (answers['chain'] === '') return chains
    chains.push(answers)
  }
}

/** Lists the commands to run next. Doctor comes after what it looks for. */
function listNext(isTreasury: boolean): readonly string[] {
  const curve = 'curve set 7=369 14=365 30=362 60=358 90=355 180=350 360=340'
  return [...(isTreasury ? [] : [curve]), 'keys create --name "First key"', 'doctor', 'serve']
}

type CommandLineContext = { readonly env: InitOptions['env']; readonly path: string }

/** Returns a command as it can be typed here: by npx, by the script of the repository, or by its name. */
function toCommandLine(line: string, { env, path }: CommandLineContext): string {
  const { npm_command: command, npm_lifecycle_event: script } = env
  const byNpm = command === 'exec' ? 'npx tallystick' : 'npm run tallystick --'
  const isByNpm = command === 'exec' || script === 'tallystick'
  return `${isByNpm ? byNpm : 'tallystick'} ${line}${configOption(path)}`
}

function configOption(path: string): string {
  if (path === 'tallystick.json') return ''
  return ` --config ${/^[\w./-]+$/.test(path) ? path : `'${path}'`}`
}
