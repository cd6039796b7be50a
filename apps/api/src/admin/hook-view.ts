import type { Delivery } from '../hooks/delivery-store.ts'
import type { Hook } from '../hooks/hook.ts'
import type { ListedHook } from '../hooks/hook-store.ts'
import { toIso } from './key-view.ts'

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

export type DeliveryView = {
  readonly event: string
  readonly webhookId: string
  readonly type: string
  readonly chainId: string
  readonly status: Delivery['status']
  readonly attempts: number
  readonly firstAttemptAt: string
  readonly lastAttemptAt: string
  readonly nextAttemptAt: string | null
  /** HTTP status of the last response. */
  readonly responseStatus: number | null
  readonly durationMs: number | null
  readonly error: string | null
}

export function viewHook(hook: Hook): HookView {
  return {
    id: hook.id,
    url: hook.url,
    types: hook.types,
    chainId: hook.chainId,
    status: hook.disabledAt !== null ? 'disabled' : hook.attempts > 0 ? 'failing' : 'active',
    createdAt: toIso(hook.createdAt),
    lastSuccessAt: orNull(hook.lastSuccessAt),
    attempts: hook.attempts,
    failingSince: orNull(hook.failingSince),
    nextAttemptAt: orNull(hook.nextAttemptAt),
    lastError: hook.lastError,
    disabledAt: orNull(hook.disabledAt),
    disabledReason: hook.disabledReason,
  }
}

export function viewListedHook(hook: ListedHook): ListedHookView {
  return { ...viewHook(hook), secrets: hook.secrets, waiting: hook.waiting }
}

export function viewDelivery({ eventId, chainId, ...delivery }: Delivery): DeliveryView {
  return {
    event: eventId.toString(),
    ...delivery,
    chainId: chainId.toString(),
    firstAttemptAt: toIso(delivery.firstAttemptAt),
    lastAttemptAt: toIso(delivery.lastAttemptAt),
    nextAttemptAt: orNull(delivery.nextAttemptAt),
  }
}

function orNull(seconds: bigint | null): string | null {
  return seconds === null ? null : toIso(seconds)
}
