/** Roles of an admin token. `all` includes the others. `view` may read everything and change nothing. */
export const adminRoles = ['metrics', 'keys', 'curve', 'hooks', 'view', 'all'] as const
export type AdminRole = (typeof adminRoles)[number]

/** Name and roles of an admin token, and whether the service is a sandbox, whose keys are for tests. */
export type Whoami = {
  readonly name: string
  readonly roles: readonly AdminRole[]
  readonly isSandbox?: boolean | undefined
}
