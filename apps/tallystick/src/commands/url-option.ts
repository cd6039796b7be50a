import { secretUrlSchema } from '@tallystick/service'

/** Returns the schema of a URL on the command line, which may be "env:NAME" or "file:path" of one that is a secret. */
export function createUrlSchema(env: Readonly<Record<string, string | undefined>>) {
  return secretUrlSchema({ env, secrets: 'required', baseDirectory: process.cwd() })
}
