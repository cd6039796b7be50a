import type { Config } from '../config.ts'
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
  config: Pick<Config, 'hooks'>,
  context: Omit<HooksOptions, 'sender'> & { readonly hooks?: HookTestOptions | undefined },
): Promise<OpenHooks> {
  const { tickMs, random, stopGraceMs, ...injected } = context.hooks ?? {}
  const sender = createSender({ policy: createAddressPolicy(config.hooks), ...injected })
  const running = await startHooks({ ...context, sender, tickMs, random, stopGraceMs })
  return { ...running, sender }
}
