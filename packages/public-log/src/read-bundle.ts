import type { Queryable } from '@tallystick/database'
import { encodeBundle, encodeUtf8, tileWidth } from '@tallystick/tlog'
import { LRUCache } from 'lru-cache'
import { readEntries } from './log-store.ts'

/** A bundle, or the first of its entries whose bytes are not public yet. */
type ReadBundle =
  | { readonly bundle: Uint8Array; readonly withheld?: undefined }
  | { readonly bundle?: undefined; readonly withheld: { readonly index: number } }

export type BundleReader = (range: { readonly index: number; readonly width: number }) => Promise<ReadBundle>

// A full bundle of note sets has about 1 MB.
const cacheBytesMax = 16 * 1024 * 1024

/**
 * Creates a reader of bundles. A bundle is read only if all its entries are public: with a hole it would have to change
 * later, and bundles never change. Full bundles are kept.
 */
export function createBundleReader(
  database: Queryable,
  /** Returns the second up to which entries are public. */
  publicSeconds: () => bigint,
): BundleReader {
  const full = new LRUCache<number, Uint8Array>({
    maxSize: cacheBytesMax,
    sizeCalculation: ({ length }) => Math.max(1, length),
  })
  return async ({ index, width }) => {
    const known = width === tileWidth ? full.get(index) : undefined
    if (known) return { bundle: known }
    const from = index * tileWidth
    const nowSeconds = publicSeconds()
    const entries = await readEntries(database, { from, to: from + width })
    const hidden = entries.find(({ publicFrom }) => publicFrom > nowSeconds)
    if (hidden) return { withheld: { index: hidden.index } }
    const bundle = encodeBundle(entries.map(({ line }) => encodeUtf8(line)))
    if (width === tileWidth) full.set(index, bundle)
    return { bundle }
  }
}
