import { inject } from 'vitest'

/** Returns the directory of a running sandbox that several test files read from. They must not change it. */
export async function findSharedSandbox(): Promise<string> {
  const response = await fetch(inject('sharedSandboxUrl'))
  const text = await response.text()
  if (!response.ok) throw new Error(text)
  return text
}
