import { quote } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { parseChainId } from '../notes/notes-query.ts'

/** Parses the query string of `GET /log/proof`. `period` is any instant of the period, by default the current one. */
export function parseProofQuery(
  query: Readonly<Record<string, unknown>>,
  { chainIds, nowSeconds }: { readonly chainIds: readonly number[]; readonly nowSeconds: bigint },
): { readonly chainId: number; readonly instant: bigint } {
  const unknown = Object.keys(query).find((name) => name !== 'chainid' && name !== 'period')
  if (unknown !== undefined) throw invalid(`Unknown query parameter ${quote(unknown)}. Use chainid and period.`)
  const chainId = parseChainId(query['chainid'], chainIds)
  if (chainId === undefined) throw invalid(`Give the chain as chainid. Supported: ${chainIds.join(', ')}.`)
  return { chainId, instant: parseInstant(query['period']) ?? nowSeconds }
}

// The calendar is computed for these years only.
const secondsMax = 253_402_300_799n

function parseInstant(value: unknown): bigint | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^(0|[1-9]\d{0,11})$/.test(value) && BigInt(value) <= secondsMax)
    return BigInt(value)
  const isIso =
    typeof value === 'string' && /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})$/.test(value)
  const ms = isIso ? Date.parse(value) : Number.NaN
  if (ms >= 0) return BigInt(Math.floor(ms / 1000))
  throw invalid(
    `period ${quote(value)} is not an instant. Use Unix seconds or ISO 8601 with a time zone, such as 2026-11-15T23:00:00Z.`,
  )
}

function invalid(message: string): TallystickError {
  return new TallystickError({ code: 'invalid_parameter', message, retryable: false })
}
