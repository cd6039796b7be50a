/** The part of `AbortSignal` that cancellable work uses. An `AbortSignal` is assignable to it. */
export type StopSignal = {
  readonly aborted: boolean
  readonly reason: unknown
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void, options?: { readonly once?: boolean }): void
  removeEventListener(type: 'abort', listener: () => void): void
}

/** A signal and the function that aborts it. */
export type Abort = {
  readonly signal: StopSignal
  /** Aborts the signal and calls its listeners, once. The default reason is an `AbortError`. */
  abort(reason?: unknown): void
}

/**
 * Creates a lightweight `AbortController` for requests that need several: one of Node's costs about 10 µs with its
 * listeners. Each listener is called once. Listeners must not throw.
 *
 * @example
 * const { signal, abort } = createAbort()
 * signal.addEventListener('abort', () => console.log(signal.reason))
 * abort('timeout') // logs "timeout"
 */
export function createAbort(): Abort {
  let listeners: (() => void)[] = []
  let aborted = false
  let reason: unknown
  const signal: StopSignal = {
    get aborted() {
      return aborted
    },
    get reason() {
      return reason
    },
    throwIfAborted: () => {
      if (aborted) throw reason
    },
    addEventListener: (_, listener) => {
      if (!aborted && !listeners.includes(listener)) listeners.push(listener)
    },
    removeEventListener: (_, listener) => {
      listeners = listeners.filter((known) => known !== listener)
    },
  }
  return {
    signal,
    abort: (why = abortError()) => {
      if (aborted) return
      aborted = true
      reason = why
      const called = listeners
      listeners = []
      for (const listener of called) listener()
    },
  }
}

function abortError(): Error {
  return Object.assign(new Error('This operation was aborted'), { name: 'AbortError' })
}
