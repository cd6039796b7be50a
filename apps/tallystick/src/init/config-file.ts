import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { findJson } from '@tallystick/chain'
import type { Addition, NewFile } from './build-files.ts'
import { invalidConfig } from './invalid-config.ts'

type RawConfig = {
  readonly chains?: readonly { readonly id?: unknown }[]
  readonly log?: { readonly origin?: unknown }
}

/** A configuration as it is in its file. */
export type ConfigText = { readonly path: string; readonly text: string; readonly value: RawConfig }

/** Reads a configuration that something is added to. Throws if it is not a file of its own, or not JSON. */
export function readConfigText(path: string): ConfigText {
  if (!existsSync(path)) throw invalidConfig(`${path} does not exist. Run \`tallystick init\` without --add first.`)
  if (lstatSync(path).isSymbolicLink())
    throw invalidConfig(`${path} is a link and is not changed. Give its target with --config.`)
  const text = readFileSync(path, 'utf8')
  const value = findJson(text) as RawConfig | null | undefined
  if (Array.isArray(value?.chains)) return { path, text, value }
  throw invalidConfig(`${path} is not a configuration with chains and is not changed. Run \`tallystick doctor\`.`)
}

/** Returns a configuration's text with an addition. All the text that it had stays as it is. */
export function addToText({ path, text, value }: ConfigText, addition: Addition): string {
  const [result, expected] =
    'chain' in addition
      ? [
          insert(text, findEndOfChains(text), addition.chain, 4),
          { ...value, chains: [...(value.chains ?? []), addition.chain] },
        ]
      : [insert(text, text.lastIndexOf('}'), addition.log, 2, '"log": '), { ...value, log: addition.log }]
  if (isDeepStrictEqual(JSON.parse(result), JSON.parse(JSON.stringify(expected)))) return result
  throw invalidConfig(`${path} has a member twice and is not changed. Remove one of them.`)
}

/** Inserts a value in front of the bracket at an index. */
function insert(text: string, end: number, value: object, indent: number, name = ''): string {
  const before = text.slice(0, end).trimEnd()
  const comma = /[[{]$/.test(before) ? '' : ','
  const lines = `${name}${JSON.stringify(value, undefined, 2)}`.replaceAll(/^/gm, ' '.repeat(indent))
  return `${before}${comma}\n${lines}\n${' '.repeat(indent - 2)}${text.slice(end)}`
}

/** Returns the index of the bracket that ends the list of chains. */
function findEndOfChains(text: string): number {
  let depth = 0
  let member = ''
  for (const { 0: token, index } of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\]]/g)) {
    if (token.startsWith('"')) {
      const isName = depth === 1 && /^\s*:/.test(text.slice(index + token.length))
      if (isName) member = JSON.parse(token)
    } else if (token === '{' || token === '[') depth += 1
    else if (--depth === 1 && member === 'chains') return index
  }
  throw new Error('the configuration has no list of chains')
}

type Replacement<Result> = {
  readonly content: string
  readonly secrets: readonly NewFile[]
  readonly verify: () => Result
}

/**
 * Replaces a configuration in one step after writing the files of its secrets and `verify`. The new files get its owner. If
 * anything fails, everything is as it was. Returns what `verify` returns.
 */
export function replaceConfig<Result>({ path, text }: ConfigText, replacement: Replacement<Result>): Result {
  const { content, secrets, verify } = replacement
  const { uid, gid, mode } = lstatSync(path)
  const draft = { path: `${path}.${randomBytes(6).toString('hex')}`, content }
  const files = [...secrets, draft]
  const newDirectories = [...new Set(secrets.map((file) => dirname(file.path)))].filter((name) => !existsSync(name))
  return writeFiles(files, () => {
    const verified = verify()
    for (const name of [...newDirectories, ...files.map((file) => file.path)]) chownSync(name, uid, gid)
    chmodSync(draft.path, mode & 0o777)
    if (readFileSync(path, 'utf8') !== text)
      throw invalidConfig(`${path} was changed meanwhile. Nothing was written. Run it again.`)
    renameSync(draft.path, path)
    return verified
  })
}

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/**
 * Writes new files for their owner alone, then returns the result of `verify`. If one exists, cannot be written, or
 * `verify` throws, all are removed. Nothing waits meanwhile, so a signal comes before the first file or after the last one.
 */
export function writeFiles<Result>(files: readonly NewFile[], verify: () => Result): Result {
  const undo: (() => void)[] = []
  const ignore = () => undefined
  for (const signal of signals) process.on(signal, ignore)
  try {
    for (const file of files) writeNewFile(file, undo)
    return verify()
  } catch (error) {
    for (const step of undo.toReversed()) step()
    throw error
  } finally {
    for (const signal of signals) process.off(signal, ignore)
  }
}

function writeNewFile({ path, content }: NewFile, undo: (() => void)[]): void {
  try {
    const directory = dirname(path)
    if (!existsSync(directory)) {
      mkdirSync(directory, { mode: 0o700 })
      undo.push(() => rmdirSync(directory))
    }
    writeFileSync(path, content, { flag: 'wx', mode: 0o600 })
    undo.push(() => rmSync(path))
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw invalidConfig(
      code === 'EEXIST'
        ? `${path} exists and was not changed. Remove it, or use it: --help names the options. Nothing was written.`
        : `${path} cannot be written (${code}). Create its directory, or choose another with --config. Nothing was written.`,
    )
  }
}

/** Throws if a file exists, before any question is asked. */
export function refuseExisting(path: string): void {
  if (!existsSync(path)) return
  throw invalidConfig(
    `${path} exists and is not changed. Choose another file with --config, or add a chain or the public log to this one with --add chain or --add log.`,
  )
}
