import { quote } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import { z } from 'zod'
import { refusal } from '../response/errors.ts'

type Query = Readonly<Record<string, unknown>>

/** Throws `invalid_parameter` if the query string has another parameter than those named. */
export function assertParameters(query: Query, names: readonly string[]): void {
  const unknown = Object.keys(query).find((name) => !names.includes(name))
  if (unknown === undefined) return
  const hint = names.length === 0 ? 'This path accepts none.' : `Use ${listInWords(names)}.`
  throw invalidParameter(`Unknown query parameter ${quote(unknown)}. ${hint}`)
}

/** Names parameters in words: `from and days`. */
export function listInWords(names: readonly string[]): string {
  return [names.slice(0, -1).join(', '), ...names.slice(-1)].filter(Boolean).join(' and ')
}

// Before, there were no notes. After, the rules of New York's time are a guess.
const firstDay = '2000-01-01'
const lastDay = '2099-12-31'

/** Parses a date such as 2026-11-01. Returns undefined if it is absent. */
export function parseDay(query: Query, name: string): string | undefined {
  const value = query[name]
  if (value === undefined) return undefined
  const { success, data } = z.iso.date().safeParse(value)
  if (!success) throw invalidParameter(`${name} ${quote(value)} is not a date. Use one such as 2026-11-01, given once.`)
  if (data >= firstDay && data <= lastDay) return data
  throw invalidParameter(`${name} ${quote(value)} is out of range. Use a date from ${firstDay} to ${lastDay}.`)
}

/** Parses a count. Returns undefined if it is absent. */
export function parseCount(
  query: Query,
  { name, max }: { readonly name: string; readonly max: number },
): number | undefined {
  const value = query[name]
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^[1-9]\d{0,5}$/.test(value) && Number(value) <= max) return Number(value)
  throw invalidParameter(`${name} ${quote(value)} is not valid. Use a whole number from 1 to ${max}, given once.`)
}

export function invalidParameter(message: string): TallystickError {
  return refusal('invalid_parameter', message)
}
