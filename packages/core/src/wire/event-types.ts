/** Types of the events of `GET /events` and of webhooks. */
export const eventTypes = ['notes', 'rate', 'status'] as const
/** Type of an event. */
export type EventType = (typeof eventTypes)[number]
