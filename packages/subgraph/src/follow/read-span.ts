import { type HeaderWithBloom, parseHeader, type RpcEndpoint, readHeaders, toBlockCall } from '@tallystick/chain'
import { type Contracts, refuseLeftOutLogs } from './check-bloom.ts'
import { type DecodedBlock, decodeLogs } from './decode-logs.ts'
import type { BlockLogs } from './mapping.ts'
import { changed } from './read-range.ts'

export type Span = {
  readonly from: number
  readonly to: number
  readonly contracts: Contracts
  /** Header of `to`, if it was just read. */
  readonly last?: HeaderWithBloom | undefined
}

/**
 * Reads blocks, then their logs by block hash (EIP-234), so that both belong together. For an unknown hash some servers
 * return no logs instead of an error, so the last block is read again, in the same request as the logs: it must be the
 * same. A server can also leave out the logs of a block that it has, so the filters in the headers are compared.
 */
export async function readSpan(
  endpoint: RpcEndpoint,
  { from, to, contracts, last }: Span,
): Promise<readonly BlockLogs[]> {
  const { addresses } = contracts
  const known = last?.header.number === to ? [last] : []
  const unknown = Array.from({ length: to - from + 1 - known.length }, (_, index) => from + index)
  const headers = [...(await readHeaders(endpoint, unknown)), ...known]
  const address = [...addresses]
  const answers = await endpoint.callMany([
    ...headers.map(({ header: { hash } }) => ({ method: 'eth_getLogs', params: [{ blockHash: hash, address }] })),
    toBlockCall(to),
  ])
  const { header: again } = parseHeader(answers.at(-1), to)
  if (again.hash !== headers.at(-1)?.header.hash) throw changed(to)
  const blocks = headers.map(({ header, bloom }, index) => {
    const parent = headers[index - 1]?.header
    if (parent && parent.hash !== header.parentHash) throw changed(header.number)
    const decoded = decodeLogs(answers[index], { from: header.number, to: header.number, addresses })
    return { block: header, bloom, logs: logsOf(decoded, header.hash) }
  })
  await refuseLeftOutLogs(endpoint, { blocks, contracts })
  return blocks.map(({ block, logs }) => ({ block, logs }))
}

function logsOf([decoded]: readonly DecodedBlock[], hash: string): BlockLogs['logs'] {
  if (decoded && decoded.hash !== hash) throw changed(decoded.number)
  return decoded?.logs ?? []
}
