import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

export type ReferenceSources = {
  readonly env: Readonly<Record<string, string | undefined>>
  /** Directory of the relative paths in the file. */
  readonly baseDirectory: string
}

type FoundSecret =
  | { readonly value: string; readonly problem?: undefined }
  | { readonly value?: undefined; readonly problem: string }

/** Reads the secret of "env:NAME" or "file:path". Returns undefined if the text is neither. */
export function readReference(
  reference: string,
  { env, baseDirectory }: ReferenceSources,
): (FoundSecret & { readonly name: string }) | undefined {
  const [, kind, name = ''] = /^(env|file):(.+)$/s.exec(reference) ?? []
  if (!kind) return undefined
  return { name, ...(kind === 'env' ? readVariable(env, name) : readSecretFile(resolve(baseDirectory, name))) }
}

function readVariable(env: ReferenceSources['env'], name: string): FoundSecret {
  const value = env[name]
  return value ? { value } : { problem: `the variable ${name} is not set` }
}

function readSecretFile(path: string): FoundSecret {
  try {
    const value = readFileSync(path, 'utf8').trim()
    return value ? { value } : { problem: `${path} is empty` }
  } catch (error) {
    return { problem: `${path} cannot be read (${(error as NodeJS.ErrnoException).code})` }
  }
}
