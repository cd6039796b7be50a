import { decodeBase64, encodeBase64, hashBytes, type TreeEdge, tileWidth } from '@tallystick/tlog'

/** Returns the edge as base64, one text per level. */
export function encodeEdge(edge: TreeEdge): string[] {
  return edge.map(encodeBase64)
}

/** Decodes an edge. Returns undefined unless it belongs to a tree of this size. */
export function decodeEdge(size: number, texts: readonly string[]): TreeEdge | undefined {
  const edge: Uint8Array[] = []
  let count = size
  for (const text of texts) {
    const bytes = decodeBase64(text)
    if (bytes?.length !== (count % tileWidth) * hashBytes) return undefined
    edge.push(bytes)
    count = Math.floor(count / tileWidth)
  }
  return count === 0 ? edge : undefined
}
