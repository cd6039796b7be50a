import { createAddressPolicy } from './address-policy.ts'
import { createSender, type Sender, type SenderOptions } from './send-request.ts'
import { type HooksOptions, type RunningHooks, startHooks } from './start-hooks.ts'

export type HookTestOptions = Omit<SenderOptions, 'policy'> & Pick<HooksOptions, 'tickMs' | 'random' | 'stopGraceMs'>

export type OpenHooks = RunningHooks & {
  /** Sends test events. */
  readonly sender: Sender
}

/** Starts the delivery of webhooks. */
export async function openHooks(
  settings: { readonly allowPrivate: readonly string[] },
  {
    times = {},
    ...options
  }: Pick<HooksOptions, 'database' | 'clock' | 'metrics' | 'log' | 'monotonicNow'> & {
    readonly times?: HookTestOptions | undefined
  },
): Promise<OpenHooks> {
  const { tickMs, random, stopGraceMs, ...injected } = times
  const sender = createSender({ policy: createAddressPolicy(settings), ...injected })
  const running = await startHooks({ ...options, sender, tickMs, random, stopGraceMs })
  return { ...running, sender }
}
