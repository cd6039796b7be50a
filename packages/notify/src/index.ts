export { type EventsRequest, scopeOfType } from './events/event-filter.ts'
export { type EventPosition, parseEventId } from './events/event-frame.ts'
export { eventMetricHelp } from './events/event-metrics.ts'
export {
  appendEvents,
  deleteOldEvents,
  eventMigrations,
  eventRetentionSeconds,
  eventsChannel,
  findEvent,
  findLastEvent,
  type NewEvent,
  readEvents,
  readLastEvents,
  type StoredEvent,
} from './events/event-store.ts'
export { startNotesProducer } from './events/produce-notes.ts'
export { startStateProducer } from './events/produce-states.ts'
export { type EventStreams, startEventStreams } from './events/start-event-streams.ts'
export type { StreamBounds } from './events/stream-slots.ts'
export { createAddressPolicy, findUrlFault } from './hooks/address-policy.ts'
export { attemptDelivery } from './hooks/attempt.ts'
export { attemptMigrations, listAttempts, type StoredAttempt } from './hooks/attempt-store.ts'
export { claimHooks } from './hooks/claim-hooks.ts'
export { deliverHook } from './hooks/deliver-hook.ts'
export { type Delivery, getDelivery, listDeliveries } from './hooks/delivery-store.ts'
export type { Hook } from './hooks/hook.ts'
export { readHookSecrets } from './hooks/hook-secrets.ts'
export {
  createHook,
  enableHook,
  getHook,
  hookMigrations,
  type ListedHook,
  listHooks,
  removeHook,
  rotateHook,
} from './hooks/hook-store.ts'
export { findMessage, resendDelivery } from './hooks/resend-delivery.ts'
export { createSender, type Sender, type SenderOptions } from './hooks/send-request.ts'
export { hookMetricHelp, type RunningHooks, startHookDelivery } from './hooks/start-hook-delivery.ts'
export { testMessage } from './hooks/webhook-message.ts'
