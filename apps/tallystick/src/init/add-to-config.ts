import { randomBytes } from 'node:crypto'
import { chmodSync, chownSync, existsSync, lstatSync, readFileSync, renameSync } from 'node:fs'
import { dirname } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { Addition, NewFile } from './build-files.ts'
import { invalidConfig } from './invalid-config.ts'
import { writeFiles } from './write-files.ts'

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
  const value = parseJson(text)
  if (Array.isArray(value?.chains)) return { path, text, value }
  throw invalidConfig(`${path} is not a configuration with chains and is not changed. Run \`tallystick doctor\`.`)
}

function parseJson(text: string): RawConfig | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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

/**
 * Replaces a configuration in one step after writing the files of its secrets and `verify`. The new files get its owner. If
 * anything fails, everything is as it was.
 */
export function replaceConfig(
  { path, text }: ConfigText,
  {
    content,
    secrets,
    verify,
  }: { readonly content: string; readonly secrets: readonly NewFile[]; readonly verify: () => void },
): void {
  const { uid, gid, mode } = lstatSync(path)
  const draft = { path: `${path}.${randomBytes(6).toString('hex')}`, content }
  const files = [...secrets, draft]
  const newDirectories = [...new Set(secrets.map((file) => dirname(file.path)))].filter((name) => !existsSync(name))
  writeFiles(files, () => {
    verify()
    for (const name of [...newDirectories, ...files.map((file) => file.path)]) chownSync(name, uid, gid)
    chmodSync(draft.path, mode & 0o777)
    if (readFileSync(path, 'utf8') !== text)
      throw invalidConfig(`${path} was changed meanwhile. Nothing was written. Run it again.`)
    renameSync(draft.path, path)
  })
}
