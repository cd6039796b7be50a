import { readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { adminUrlOf, readReference } from '@tallystick/service'
import type { ConfigSource } from '../terminal/terminal.ts'

export type AdminAddress = { readonly url: string; readonly token: string }

/**
 * Reads where the admin listener of a configuration is, and the token for it, without the schema of the configuration:
 * loading that takes longer than all else that a command does through a server. Returns undefined if anything is unusual.
 * The schema then finds and names the fault.
 */
export function readAdminAddress({ path, env }: ConfigSource): AdminAddress | undefined {
  try {
    const { admin } = JSON.parse(readFileSync(path, 'utf8')) as { readonly admin: Readonly<Record<string, unknown>> }
    const { host = '127.0.0.1', port = 9464, token, tokens = [] } = admin
    if (typeof host !== 'string' || host === '' || !Number.isInteger(port) || Number(port) > 65_535) return undefined
    const named = tokens as readonly { readonly token: string; readonly roles: readonly string[] }[]
    const references = [token, ...named.filter(({ roles }) => roles.includes('all')).map((own) => own.token)]
    const sources = { env, baseDirectory: dirname(resolve(path)) }
    const found = references.flatMap((reference) => readReference(String(reference ?? ''), sources)?.value ?? [])
    return { url: adminUrlOf({ host, port: Number(port) }), token: env['TALLYSTICK_ADMIN_TOKEN'] || (found[0] ?? '') }
  } catch {
    return undefined
  }
}
