export type NodeCall = { readonly method: string; readonly params: readonly unknown[] }

/** Sends calls to a node as one batch and returns the results in order. Throws an error with the message of the first failed call. */
export async function callNode(url: string, calls: readonly NodeCall[]): Promise<readonly unknown[]> {
  const body = JSON.stringify(calls.map((call, id) => ({ jsonrpc: '2.0', id, ...call })))
  const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const responses = (await response.json()) as { id: number; result?: unknown; error?: { message: string } }[]
  const results: unknown[] = []
  for (const { id, result, error } of responses) {
    if (error) throw new Error(`${calls[id]?.method}: ${error.message}`)
    results[id] = result
  }
  return results
}

export type NodeBlock = { readonly number: string; readonly hash: string; readonly timestamp: string }

/** Reads the newest block. */
export async function readHead(url: string): Promise<NodeBlock> {
  const [block] = await callNode(url, [{ method: 'eth_getBlockByNumber', params: ['latest', false] }])
  return block as NodeBlock
}

/** Formats a number as a JSON-RPC quantity. */
export function toQuantity(value: bigint | number): `0x${string}` {
  return `0x${value.toString(16)}`
}
