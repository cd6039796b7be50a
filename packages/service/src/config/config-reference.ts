import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

// The commands of an operator need these two of the configuration, and not its schema, which takes longer to load.

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

/** Returns the URL of the admin listener, as seen from this machine. */
export function adminUrlOf({ host, port }: { readonly host: string; readonly port: number }): string {
  const reachable = ['0.0.0.0', '::'].includes(host) ? '127.0.0.1' : host
  return `http://${reachable.includes(':') ? `[${reachable}]` : reachable}:${port}`
}
