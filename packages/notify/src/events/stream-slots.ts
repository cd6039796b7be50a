import { type ErrorCode, TallystickError } from '@tallystick/core'

export type StreamBounds = {
  /** Streams of one key. */
  readonly perKeyMax: number
  /** Streams of all keys. */
  readonly max: number
}

/** Counts open streams. */
export type StreamSlots = ReturnType<typeof createStreamSlots>

const retryAfterSeconds = 5
const tryAgain = `Try again in ${retryAfterSeconds} seconds.`

export function createStreamSlots({ perKeyMax, max }: StreamBounds, onRefused: (bound: 'key' | 'all') => void) {
  const counts = new Map<string, number>()
  let used = 0
  let isClosed = false
  const assertOpen = () => {
    if (isClosed) throw refused('not_ready', `This replica is stopping. ${tryAgain}`)
  }
  return {
    /** Throws after `close`. */
    assertOpen,
    /** Throws from now on, for streams that are not open yet. */
    close: () => {
      isClosed = true
    },
    get used() {
      return used
    },
    /** Takes a slot and returns the function that frees it. Throws if a bound is reached. */
    take: (keyId: string) => {
      assertOpen()
      const ofKey = counts.get(keyId) ?? 0
      if (ofKey >= perKeyMax) {
        onRefused('key')
        throw refused('too_many_streams', tooManyStreams(perKeyMax))
      }
      if (used >= max) {
        onRefused('all')
        throw refused('not_ready', `This replica has no free stream. ${tryAgain}`)
      }
      used++
      counts.set(keyId, ofKey + 1)
      let isFree = false
      return () => {
        if (isFree) return
        isFree = true
        used--
        const left = (counts.get(keyId) ?? 0) - 1
        if (left > 0) counts.set(keyId, left)
        else counts.delete(keyId)
      }
    },
  }
}

function tooManyStreams(perKeyMax: number): string {
  return `This key has ${perKeyMax} streams open, which is its limit. Close one, or share a stream among your clients.`
}

function refused(code: ErrorCode, message: string): TallystickError {
  return new TallystickError({ code, message, retryable: true, retryAfterSeconds })
}
