/** Recorded change. `actor` is authenticated. `remark` is the caller's own claim. */
export type AuditEntryView = {
  readonly id: string
  /** Time of the database's clock, ISO 8601. */
  readonly at: string
  /** Name of the admin token, `local:<system user>` for a command line on the database, `treasury`, `hooks`, or `unknown`. */
  readonly actor: string
  readonly remark: string | null
  /** Kind of change, such as `key.revoke`. */
  readonly action: string
  /** Object of the change, such as a key's id. */
  readonly subject: string
  readonly details: Readonly<Record<string, unknown>>
}

/** Which entries of the audit log to list. All by default. */
export type AuditFilter = {
  /** Text that the actor or the remark contains. */
  readonly by?: string | undefined
  /** Kind of change: an action, such as `key.revoke`, or its first part, such as `key`. */
  readonly action?: string | undefined
  /** Object of the change, such as a key's id. */
  readonly subject?: string | undefined
  /** ISO 8601. From this instant on, and before that one. */
  readonly since?: string | undefined
  readonly until?: string | undefined
}

/** Entries of the audit log, newest first. */
export type AuditReport = { readonly entries: readonly AuditEntryView[] }
