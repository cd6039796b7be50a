/** Why a request to the wallet failed. */
export type WalletFault =
  | 'rejected'
  | 'busy'
  | 'locked'
  | 'disconnected'
  | 'unknown_chain'
  | 'other_chain'
  | 'unsupported'
  | 'no_gas'
  | 'no_answer'

/** Thrown by the page itself about a wallet. */
export class WalletError extends Error {
  override name = 'WalletError' as const
  readonly fault: WalletFault

  constructor(fault: WalletFault, message: string) {
    super(message)
    this.fault = fault
  }
}

// EIP-1193, EIP-1474 and EIP-3085. -32002: another request already waits for the user.
const faultsByCode: Readonly<Record<string, WalletFault>> = {
  '4001': 'rejected',
  '5000': 'rejected',
  ACTION_REJECTED: 'rejected',
  '4100': 'locked',
  '4200': 'unsupported',
  '-32601': 'unsupported',
  '4900': 'disconnected',
  '4901': 'disconnected',
  '4902': 'unknown_chain',
  '-32002': 'busy',
}

/** Returns the fault that an error of a wallet states, or undefined. Wallets and libraries wrap errors in different ways. */
export function findWalletFault(error: unknown): WalletFault | undefined {
  for (const part of partsOf(error)) {
    if (part instanceof WalletError) return part.fault
    const fault = faultsByCode[String(part['code'])]
    if (fault) return fault
  }
  const texts = [...partsOf(error)].map((part) => `${part['message'] ?? ''} ${part['details'] ?? ''}`)
  return texts.some((text) => noGas.test(text)) ? 'no_gas' : undefined
}

const noGas = /insufficient funds|doesn't have enough funds|exceeds the balance of the account/i

const depthMax = 8

/** Yields the error and the errors inside it, outermost first. */
function* partsOf(error: unknown): Generator<Record<string, unknown>> {
  let next: unknown[] = [error]
  for (let depth = 0; depth < depthMax && next.length > 0; depth++) {
    const parts = next.filter((part): part is Record<string, unknown> => typeof part === 'object' && part !== null)
    yield* parts
    next = parts.flatMap((part) => [part['cause'], part['data'], part['originalError'], part['error']])
  }
}
