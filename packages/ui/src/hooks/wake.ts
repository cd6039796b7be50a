import { createListeners } from './use-subscribed.ts'

const wakes = createListeners()

/** Makes everything on the page that polls, or that failed to load, ask again at once. */
export const wake = wakes.notify

/** Calls `listener` after `wake`, and when a hidden page is shown again. Returns an unsubscribe function. */
export function onWake(listener: () => void): () => void {
  const onVisible = () => {
    if (document.visibilityState === 'visible') listener()
  }
  const unsubscribe = wakes.subscribe(listener)
  document.addEventListener('visibilitychange', onVisible)
  return () => {
    unsubscribe()
    document.removeEventListener('visibilitychange', onVisible)
  }
}
