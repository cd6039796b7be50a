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

/** What became of an event for a hook. */
export type DeliveryView = {
  /** Number of the event. */
  readonly event: string
  /** The same at every attempt, also if an operator sends the event again. */
  readonly webhookId: string
  readonly type: string
  readonly chainId: string
  /** `gone`: the event was deleted before it was delivered. `failed`: the hook was switched off. `skipped`: too large. */
  readonly status: 'delivered' | 'retrying' | 'failed' | 'gone' | 'skipped'
  readonly attempts: number
  readonly firstAttemptAt: string
  readonly lastAttemptAt: string
  readonly nextAttemptAt: string | null
  readonly responseStatus: number | null
  readonly durationMs: number | null
  readonly error: string | null
}

/** One request to a receiver, and its response. */
export type DeliveryAttempt = {
  readonly at: string
  readonly status: number | null
  readonly error: string | null
  readonly durationMs: number
  /** Whether an operator sent the event again. */
  readonly isResend: boolean
  /** Null if there was none, or if the token may not see it. */
  readonly response: DeliveryResponse | null
}

/** Beginning of a receiver's response. It is text of a stranger. */
export type DeliveryResponse = {
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Whether the body was longer. */
  readonly isCut: boolean
}

/** Delivery with what was sent and what came back. */
export type DeliveryReport = {
  readonly delivery: DeliveryView
  /** Body of the requests. Null if the event was deleted. */
  readonly payload: string | null
  /** The newest attempts of the last 4 days, newest first. */
  readonly attempts: readonly DeliveryAttempt[]
}
