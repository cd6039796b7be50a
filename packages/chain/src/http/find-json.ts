import { parseJson } from '@tallystick/core'

/** Parses JSON of another party. Returns undefined if it is none. */
export function findJson(text: string): unknown {
  try {
    return parseJson(text)
  } catch {
    return undefined
  }
}
