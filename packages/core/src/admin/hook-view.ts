/** Hook as the admin listener and the command line show it. */
export type HookView = {
  readonly id: string
  readonly url: string
  readonly types: readonly string[]
  /** Null is every chain. */
  readonly chainId: number | null
  readonly status: 'active' | 'failing' | 'disabled'
  readonly createdAt: string
  readonly lastSuccessAt: string | null
  /** Failed attempts in a row. */
  readonly attempts: number
  readonly failingSince: string | null
  readonly nextAttemptAt: string | null
  readonly lastError: string | null
  readonly disabledAt: string | null
  readonly disabledReason: string | null
}

/** Hook with the number of its secrets in force and of the events that wait for it. */
export type ListedHookView = HookView & { readonly secrets: number; readonly waiting: number }

/** Result of `hooks test`. */
export type HookTest = {
  readonly hook: HookView
  readonly isDelivered: boolean
  /** HTTP status of the response, if there was one. */
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
}
