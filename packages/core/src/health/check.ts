export type Check = {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** Whether the service is not ready while this check fails. */
  readonly required: boolean
  /** Whether notes are missing, or will be, while this check fails. By default as `required`. */
  readonly urgent?: boolean | undefined
  /** What to do, if the check knows more than its name tells. */
  readonly advice?: string | undefined
}
