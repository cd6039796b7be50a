import type { DeliveryAttempt, DeliveryReport, DeliveryView, HookView, ListedHookView } from '@tallystick/core'
import type { Delivery, Hook, ListedHook, StoredAttempt } from '@tallystick/notify'
import { toIso } from './key-view.ts'

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

/** Hides path and query of the URL, which may contain a token, and shows whether there are any: `https://host/…?…`. */
export function hideUrl(hook: ListedHookView): ListedHookView {
  const { origin, pathname, search } = new URL(hook.url)
  return { ...hook, url: `${origin}/${pathname === '/' ? '' : '…'}${search === '' ? '' : '?…'}` }
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

export function viewAttempt({ at, ...attempt }: StoredAttempt): DeliveryAttempt {
  return { at: toIso(at), ...attempt }
}

/** Hides the responses, which may repeat the URL and its token. */
export function hideResponses(report: DeliveryReport): DeliveryReport {
  return { ...report, attempts: report.attempts.map((attempt) => ({ ...attempt, response: null })) }
}

function orNull(seconds: bigint | null): string | null {
  return seconds === null ? null : toIso(seconds)
}
