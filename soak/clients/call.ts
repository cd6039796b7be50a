import { type Answer as AnyAnswer, type SendOptions, sendRequest } from '@tallystick/workbench/send-request'

export type Answer = Omit<AnyAnswer, 'json'>

// Longer than any request may take.
const timeout = 20_000

/** Sends one request. Rejects if the connection fails or times out. */
export function call(url: string, options: SendOptions): Promise<Answer> {
  return sendRequest(url, { timeout, ...options })
}
