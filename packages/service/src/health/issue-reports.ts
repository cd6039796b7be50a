import type { CurveReport, ListedHookView, NotesReport } from '@tallystick/core'
import type { AuditCheck } from '@tallystick/keys'
import type { LogReport } from '@tallystick/public-log'

/** Reports about curve, notes and webhooks, from the service or the database. */
export type IssueReports = {
  readonly notes: NotesReport
  readonly curve: CurveReport
  /** Without hooks if the token lacks the role. */
  readonly hooks?: { readonly hooks?: readonly ListedHookView[] | undefined } | undefined
  /** Undefined if no public log is configured. */
  readonly log?: LogReport | undefined
  /** Undefined if the token lacks the role, or the service is of a release before. */
  readonly audit?: AuditCheck | undefined
}
