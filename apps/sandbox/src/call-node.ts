import type { Hex } from 'viem'

export type NodeCall = { readonly method: string; readonly params: readonly unknown[] }

/** Sends calls to a node as one batch; their results in their order. Throws what the node says against the first it refused. */
export async function callNode(url: string, calls: readonly NodeCall[]): Promise<readonly unknown[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answers = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[]
  const results: unknown[] = []
  for (const { id, result, error } of answers) {
    if (error) throw new Error(`${calls[id]?.method}: ${error.message}`)
    results[id] = result
  }
  return results
}

/** A number as JSON-RPC writes it. */
export function toQuantity(value: bigint | number): Hex {
  return `0x${value.toString(16)}`
}
