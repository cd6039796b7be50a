import { resolve } from 'node:path'
import type { Secret } from '@tallystick/base'
import { z } from 'zod'
import { type ReferenceSources, readReference } from './config-reference.ts'

export type ConfigSources = ReferenceSources & {
  /**
   * Whether a missing secret or file is a fault. `serve` requires all of them. The operator's commands need only those
   * that they use.
   */
  readonly secrets: 'required' | 'optional'
}

/** Schemas that depend on the sources: a path relative to the file, and a reference to a secret. */
export type ConfigFields = {
  readonly path: z.ZodType<string, string>
  readonly secret: z.ZodType<Secret, string>
}

const httpUrlFault = 'must be an http or https URL without a user name or password in it'
export const httpUrl = z.string().refine(isHttpUrl, httpUrlFault).meta({ pattern: '^https?:' })
// The JSON Schema of the configuration says this. Zod cannot derive it from the code that reads the secret.
const referencePattern = '^(env|file):[\\s\\S]+$'

/** Returns the schema of the database URL. It is a secret because it may contain a password. */
export function databaseSchema(sources: ConfigSources) {
  return z
    .string()
    .meta({ pattern: '^(env:|file:|postgres(ql)?://)[\\s\\S]+$' })
    .default('file:.tallystick/db')
    .transform((value, context): Secret => {
      const fault = createFault(context)
      const [, name] = /^env:(.+)$/s.exec(value) ?? []
      const url = name === undefined ? value : sources.env[name]
      if (!url && name !== undefined) return fault(`the variable ${name} is not set`)
      if (postgresForm.test(url ?? '')) {
        return URL.canParse(url as string) ? { reveal: () => url as string } : fault(unencoded)
      }
      const directory = resolve(sources.baseDirectory, (url ?? '').replace(/^file:(\/\/)?/, ''))
      if (/^file:./.test(url ?? '')) return { reveal: () => `file:${directory}` }
      return fault('must be "postgres://…", "file:<directory>", or "env:NAME" of a variable that contains one of them')
    })
}

const postgresForm = /^postgres(ql)?:\/\/./
const unencoded = 'is not a valid URL: percent-encode special characters in the password, such as %2F for a slash'

/** Returns the schema of the URL of a PostgreSQL database: plain text, "env:NAME" or "file:path" of it. */
export function postgresSchema(sources: ConfigSources): z.ZodType<Secret, string> {
  const text = z.string().meta({ pattern: '^(env:|file:|postgres(ql)?://)[\\s\\S]+$' })
  return text.transform((value, context): Secret => {
    const fault = createFault(context)
    const found = readReference(value, sources)
    if (found?.problem !== undefined)
      return sources.secrets === 'required' ? fault(found.problem) : { reveal: () => '' }
    // Never the value itself: it may contain a password.
    const url = found ? found.value : value
    if (!postgresForm.test(url)) {
      return fault(
        found
          ? `the value of ${found.name} must be "postgres://…"`
          : `must be "postgres://…", or "env:NAME" or "file:path" of it`,
      )
    }
    return URL.canParse(url) ? { reveal: () => url } : fault(unencoded)
  })
}

export function secretSchema(sources: ConfigSources): z.ZodType<Secret, string> {
  const text = z.string().meta({ pattern: referencePattern })
  return text.transform((reference, context): Secret => {
    const fault = createFault(context)
    const found = readReference(reference, sources)
    if (!found) return fault('must be "env:NAME" or "file:path": secrets do not belong in this file')
    if (found.problem !== undefined && sources.secrets === 'required') return fault(found.problem)
    return { reveal: () => found.value ?? '' }
  })
}

// Reserved host name (RFC 2606 §2), for a URL that is not set and that the command does not use.
const unknownUrl = 'https://url-is-not-set.invalid'

/** Returns the schema of a URL that may contain a provider's key: plain text, "env:NAME" or "file:path". */
export function secretUrlSchema(sources: ConfigSources): z.ZodType<string, string> {
  const text = z.string().meta({ pattern: `${referencePattern}|^https?:` })
  return text.transform((value, context): string => {
    const fault = createFault(context)
    const found = readReference(value, sources)
    if (!found) return isHttpUrl(value) ? value : fault(`${httpUrlFault}, or "env:NAME" or "file:path" of one`)
    if (found.problem !== undefined) return sources.secrets === 'required' ? fault(found.problem) : unknownUrl
    // Never the value itself: it is a secret.
    return isHttpUrl(found.value) ? found.value : fault(`the value of ${found.name} ${httpUrlFault}`)
  })
}

export function isHttpUrl(value: string): boolean {
  if (!URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

/** Returns the function that adds a fault to a value, which then has no result. */
function createFault(context: z.RefinementCtx): (message: string) => never {
  return (message) => {
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  }
}
