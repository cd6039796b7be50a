import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { TallystickError } from '@tallystick/core'
import { refusal } from '@tallystick/http'
import type { z } from 'zod'
import { configSchema } from './config-schema.ts'
import type { ConfigSources } from './config-secrets.ts'

export type Config = z.output<ReturnType<typeof configSchema>>
export type ChainConfig = Config['chains'][number]
export type SignerConfig = ChainConfig['signer']

export type LoadOptions = Pick<ConfigSources, 'env' | 'secrets'>

/** Reads and validates a configuration file. Throws one error that lists every fault with its path. */
export function loadConfig(path: string, { env, secrets }: LoadOptions): Config {
  return parseConfig(readConfigJson(path), { path, env, secrets, baseDirectory: dirname(resolve(path)) })
}

/** Reads a configuration file without validation. Its errors never quote the text. */
export function readConfigJson(path: string): unknown {
  return parseJson(readConfigFile(path), path)
}

/** Validates a configuration. `path` is its name in errors. */
export function parseConfig(value: unknown, { path, ...sources }: ConfigSources & { readonly path: string }): Config {
  return parseWithSchema(value, { path, schema: configSchema(sources) })
}

/** Validates a configuration by a schema that is built already. */
export function parseWithSchema(
  value: unknown,
  { path, schema }: { readonly path: string; readonly schema: ReturnType<typeof configSchema> },
): Config {
  // The service uses the schema once, so compiling it would take longer than interpreting it.
  const result = schema.safeParse(value, { jitless: true })
  if (result.success) return result.data
  const faults = result.error.issues.map((issue) => ({ path: formatPath(issue.path), message: issue.message }))
  const lines = faults.map((fault) => `  ${fault.path}: ${fault.message}`)
  throw new TallystickError({
    code: 'invalid_config',
    message: [`${path} is not a valid configuration:`, ...lines].join('\n'),
    retryable: false,
    details: { faults },
  })
}

function readConfigFile(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new TallystickError({
      code: 'invalid_config',
      message: describeUnreadable(path, (error as NodeJS.ErrnoException).code),
      retryable: false,
      cause: error,
    })
  }
}

function describeUnreadable(path: string, code: string | undefined): string {
  if (code !== 'ENOENT') return `The configuration file ${path} cannot be read (${code}). Set its path with --config.`
  return `There is no configuration file ${path}. Write one with \`tallystick init\`, or set its path with --config.`
}

function parseJson(text: string, path: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // V8 quotes the text around the fault, which may be a secret.
    const [place = ''] = / at position \d+( \(line \d+ column \d+\))?/.exec((error as Error).message) ?? []
    throw refusal('invalid_config', `${path} is not JSON${place}.`)
  }
}

/** Formats the path of a member, such as `chains[0].pool`. */
export function formatPath(path: readonly PropertyKey[]): string {
  if (path.length === 0) return '(top level)'
  return path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '')
}
