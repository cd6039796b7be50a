import { createHash, timingSafeEqual } from 'node:crypto'
import type { Secret } from '@tallystick/base'
import { type AdminRole, adminRoles } from '@tallystick/core'
import { z } from 'zod'

/** Admin token. Changes made with it are recorded in the audit log under its name. */
export type AdminToken = { readonly name: string; readonly token: Secret; readonly roles: readonly AdminRole[] }

type AdminTokens = { readonly token?: Secret | undefined; readonly tokens?: readonly AdminToken[] | undefined }

// Actors of the audit log that are not tokens.
const reservedNames = ['treasury', 'local', 'hooks', 'unknown']

/** Returns the schema of `admin.tokens`. */
export function adminTokensSchema(secret: z.ZodType<Secret, string>) {
  return z
    .array(
      z.strictObject({
        name: z
          .string()
          .regex(/^[a-z\d][\w.@-]{0,63}$/i, 'must be 1 to 64 letters, digits, ".", "_", "-" or "@"')
          .refine((name) => !reservedNames.includes(name.toLowerCase()), 'is reserved for the audit log'),
        token: secret,
        roles: z.array(z.enum(adminRoles)).min(1),
      }),
    )
    .optional()
}

/** Rejects repeated names and tokens, and a listener without the role `all`. Also runs on values with other faults. */
export function checkAdminTokens(value: unknown, context: z.RefinementCtx): void {
  const { token, tokens } = value as { readonly token?: unknown; readonly tokens?: unknown }
  const named = (Array.isArray(tokens) ? tokens : []) as readonly Partial<AdminToken>[]
  const fault = (path: PropertyKey[], message: string) => context.addIssue({ code: 'custom', path, message })
  const seen = token === undefined ? [] : [{ name: 'admin', token: token as Partial<Secret> }]
  named.forEach((own, index) => {
    if (seen.some(({ name }) => name === own?.name?.toLowerCase())) fault(['tokens', index, 'name'], 'is used twice')
    const value = own?.token?.reveal?.()
    // With one token for two names, one person could approve as two.
    if (value && seen.some((other) => other.token?.reveal?.() === value))
      fault(['tokens', index, 'token'], 'is also the token of another name')
    seen.push({ name: own?.name?.toLowerCase() ?? '', token: own?.token as Partial<Secret> })
  })
  if (token !== undefined || named.some((own) => own?.roles?.includes('all'))) return
  fault(['token'], 'is required unless one of "tokens" has the role "all"')
}

/** Lists the tokens of a configuration. `admin.token` has the name "admin" and the role "all". */
export function listAdminTokens({ token, tokens = [] }: AdminTokens): readonly AdminToken[] {
  return token ? [{ name: 'admin', token, roles: ['all'] }, ...tokens] : tokens
}

/** Returns the token that the command line sends: TALLYSTICK_ADMIN_TOKEN, or the first configured one with the role "all". */
export function chooseAdminToken(admin: AdminTokens, env: Readonly<Record<string, string | undefined>>): string {
  const own = env['TALLYSTICK_ADMIN_TOKEN']
  if (own) return own
  const usable = listAdminTokens(admin).filter(({ roles, token }) => roles.includes('all') && token.reveal() !== '')
  return usable[0]?.token.reveal() ?? ''
}

/** Creates the function that finds the token of an Authorization header. */
export function createTokenFinder(tokens: readonly AdminToken[]): (authorization: string) => AdminToken | undefined {
  const known = tokens.map((holder) => ({ holder, expected: digest(`Bearer ${holder.token.reveal()}`) }))
  return (authorization) => {
    const given = digest(authorization)
    // Hashed, and all compared, so that the time reveals neither a token nor its length nor its place in the list.
    const matches = known.filter(({ expected }) => timingSafeEqual(given, expected))
    return matches[0]?.holder
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
