/** Limit of a body, and the error for one that exceeds it. */
export type ReadChunksOptions = {
  readonly bytesMax: number
  readonly tooLarge: () => Error
}

/**
 * Reads a body to its end and returns its chunks. Stops reading and throws `tooLarge()` when it has more than `bytesMax`
 * bytes.
 *
 * @example
 * const chunks = await readChunks(request, { bytesMax: 65_536, tooLarge: () => new Error('The body is too large.') })
 * const text = Buffer.concat(chunks).toString()
 */
export async function readChunks(
  source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { bytesMax, tooLarge }: ReadChunksOptions,
): Promise<readonly Uint8Array[]> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of source) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw tooLarge()
    chunks.push(chunk)
  }
  return chunks
}
