import type { Address } from 'viem'

/** Address of a wallet, an ENS name to resolve, or why the text is neither. */
export type Owner = { readonly address: Address } | { readonly name: string } | { readonly fault: string }

// The longest name that the service resolves.
const nameLengthMax = 255

/** Parses what a visitor typed or a link contains. A name must have a dot, so that no key can be taken for a name. */
export function parseOwner(text: string, { hasEns }: { readonly hasEns: boolean }): Owner {
  if (/^0x[0-9a-f]{40}$/i.test(text)) return { address: text as Address }
  if (hasEns && isName(text)) return { name: text }
  const fault = 'An address is 0x followed by 40 hex digits.'
  return { fault: hasEns ? `${fault} A name looks like name.eth.` : fault }
}

function isName(text: string): boolean {
  return text.length <= nameLengthMax && /^[^\s./?#%<>"\\\p{Cc}]+(\.[^\s./?#%<>"\\\p{Cc}]+)+$/u.test(text)
}
