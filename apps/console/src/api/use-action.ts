import { useRef, useState } from 'preact/hooks'

/** A change that is sent once at a time, and the error of the last one. */
export type Action<Input> = {
  readonly isRunning: boolean
  readonly error: Error | undefined
  readonly run: (input: Input) => Promise<void>
  /** Forgets the error, and what still runs: its signal is aborted and its outcome is not shown. */
  readonly clear: () => void
}

export function useAction<Input>(work: (input: Input, signal: AbortSignal) => Promise<void>): Action<Input> {
  const [state, setState] = useState<{ readonly isRunning: boolean; readonly error?: Error | undefined }>({
    isRunning: false,
  })
  const running = useRef<AbortController | undefined>(undefined)
  return {
    isRunning: state.isRunning,
    error: state.error,
    run: async (input) => {
      if (running.current) return
      const controller = new AbortController()
      running.current = controller
      setState({ isRunning: true })
      const finish = (error?: Error) => {
        if (running.current !== controller) return
        running.current = undefined
        setState({ isRunning: false, error })
      }
      await work(input, controller.signal).then(() => finish(), finish)
    },
    clear: () => {
      running.current?.abort()
      running.current = undefined
      setState({ isRunning: false })
    },
  }
}
