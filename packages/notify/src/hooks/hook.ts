import type { EventType } from '@tallystick/core'

/** Subscription of a receiver to events. */
export type Hook = {
  readonly id: string
  /** May contain a token of the receiver. Only admins see it. */
  readonly url: string
  readonly types: readonly EventType[]
  /** Null is every chain. */
  readonly chainId: number | null
  readonly createdAt: bigint
  /** Id of the last event that is done. */
  readonly afterEvent: bigint
  /** Id of the event that failed last and is tried again. */
  readonly headEvent: bigint | null
  /** Failed attempts in a row. */
  readonly attempts: number
  readonly failingSince: bigint | null
  readonly nextAttemptAt: bigint | null
  readonly lastError: string | null
  readonly lastSuccessAt: bigint | null
  /** When the hook was switched off. Null while it is on. */
  readonly disabledAt: bigint | null
  readonly disabledReason: string | null
}

/** Name of the receiver for log lines. The rest of the URL may be secret. */
export function hostOf({ url }: Pick<Hook, 'url'>): string {
  return new URL(url).host
}

export const hookColumns = `id, url, types, chain_id::float8 as "chainId", created_at as "createdAt", after_event as "afterEvent",
  head_event as "headEvent", attempts, failing_since as "failingSince", next_attempt_at as "nextAttemptAt",
  last_error as "lastError", last_success_at as "lastSuccessAt", disabled_at as "disabledAt",
  disabled_reason as "disabledReason"`
