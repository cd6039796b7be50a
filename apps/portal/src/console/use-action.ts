import { useState } from 'preact/hooks'

/** A change that is sent once at a time, and the error of the last one. */
export type Action<Input> = {
  readonly isRunning: boolean
  readonly error: Error | undefined
  readonly run: (input: Input) => Promise<void>
  readonly clear: () => void
}

export function useAction<Input>(work: (input: Input) => Promise<void>): Action<Input> {
  const [state, setState] = useState<{ readonly isRunning: boolean; readonly error?: Error | undefined }>({
    isRunning: false,
  })
  return {
    isRunning: state.isRunning,
    error: state.error,
    run: async (input) => {
      if (state.isRunning) return
      setState({ isRunning: true })
      try {
        await work(input)
        setState({ isRunning: false })
      } catch (error) {
        setState({ isRunning: false, error: error as Error })
      }
    },
    clear: () => setState({ isRunning: false }),
  }
}
