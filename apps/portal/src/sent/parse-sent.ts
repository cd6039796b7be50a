import type { SentAct, SentState, SentTransaction } from './sent-transaction.ts'

// Anything in this origin can write to the storage, and an older or newer page may have.
const lengthMax = 12_000
const tokenIdsMax = 100
const reasonLengthMax = 300
const hashPattern = /^0x[0-9a-f]{64}$/
// A transaction from the future would never leave.
const clockChangeMs = 86_400_000

/** Reads a stored transaction. Returns undefined for any text that this page cannot have written. */
export function parseSent(text: string | null, nowMs: number): SentTransaction | undefined {
  if (text === null || text.length > lengthMax) return undefined
  const { id, chainId, account, hash, executedHash, act, state, sentAtMs, nonce, call, endedAtMs } = parseObject(text)
  const parsedAct = parseAct(toObject(act))
  const parsedState = parseState(toObject(state))
  const isKnown = hash === undefined ? isText(id, /^asked-[\w-]{1,40}$/) : isText(hash, hashPattern) && id === hash
  const isAsked = parsedState?.kind === 'asked'
  if (!parsedAct || !parsedState || !isKnown || isAsked !== (hash === undefined)) return undefined
  if (!isCount(chainId) || !isText(account, /^0x[0-9a-f]{40}$/) || !isText(call, /^[0-9a-z:]{1,80}$/)) return undefined
  if (executedHash !== undefined && !isText(executedHash, hashPattern)) return undefined
  if (!isCount(sentAtMs) || sentAtMs > nowMs + clockChangeMs) return undefined
  if (!isOptionalCount(nonce) || !isOptionalCount(endedAtMs) || (endedAtMs ?? 0) > nowMs + clockChangeMs)
    return undefined
  return {
    id: id as string,
    ...{ chainId, account, hash: hash as string | undefined, act: parsedAct, state: parsedState },
    ...{ executedHash, sentAtMs, nonce, call, endedAtMs },
  }
}

function parseAct({ kind, principal, tenorDays, tokenIds }: Values): SentAct | undefined {
  const amount = isText(principal, /^\d{1,78}$/) ? principal : undefined
  const ids = isTokenIds(tokenIds) ? tokenIds : undefined
  if (kind === 'lend' && amount !== undefined && isCount(tenorDays)) return { kind, principal: amount, tenorDays }
  if (kind === 'approveDollars' && amount !== undefined) return { kind, principal: amount }
  if ((kind === 'claim' || kind === 'approvePositions') && ids) return { kind, tokenIds: ids }
  return undefined
}

function parseState({ kind, isFinal, reason }: Values): SentState | undefined {
  switch (kind) {
    case 'asked':
    case 'signing':
    case 'waiting':
    case 'replaced':
    case 'dropped':
    case 'cancelled':
      return { kind }
    case 'confirmed':
      return { kind, isFinal: isFinal === true }
    case 'failed': {
      const words = typeof reason === 'string' ? reason.slice(0, reasonLengthMax) : undefined
      return { kind, isFinal: isFinal === true, reason: words }
    }
    default:
      return undefined
  }
}

type Values = Readonly<Record<string, unknown>>

function parseObject(text: string): Values {
  try {
    return toObject(JSON.parse(text))
  } catch {
    return {}
  }
}

function toObject(value: unknown): Values {
  return typeof value === 'object' && value !== null ? (value as Values) : {}
}

function isText(value: unknown, pattern: RegExp): value is string {
  return typeof value === 'string' && pattern.test(value)
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

function isOptionalCount(value: unknown): value is number | undefined {
  return value === undefined || isCount(value)
}

function isTokenIds(value: unknown): value is readonly string[] {
  if (!Array.isArray(value) || value.length === 0 || value.length > tokenIdsMax) return false
  return value.every((id) => isText(id, /^\d{1,78}$/))
}
