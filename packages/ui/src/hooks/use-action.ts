import { useEffect, useRef, useState } from 'preact/hooks'

/** Work that runs once at a time, such as a change that is sent, and the error of the last run. */
export type Action<Input> = ReturnType<typeof useAction<Input>>

type ActionState = { readonly isRunning: boolean; readonly error: Error | undefined }

const idle: ActionState = { isRunning: false, error: undefined }

export function useAction<Input>(work: (input: Input, signal: AbortSignal) => Promise<void>) {
  const [state, setState] = useState(idle)
  const running = useRef<AbortController | undefined>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  return {
    ...state,
    run: async (input: Input): Promise<void> => {
      if (running.current) return
      const controller = new AbortController()
      running.current = controller
      setState({ isRunning: true, error: undefined })
      const finish = (error?: Error) => {
        if (running.current !== controller) return
        running.current = undefined
        setState({ isRunning: false, error })
      }
      await work(input, controller.signal).then(() => finish(), finish)
    },
    /** Forgets the error, and what still runs: its signal is aborted and its outcome is not shown. */
    clear: () => {
      running.current?.abort()
      running.current = undefined
      setState(idle)
    },
  }
}
