export { decodeBase64, encodeBase64 } from './base64.ts'
export {
  type Checkpoint,
  CheckpointError,
  checkpointBytesMax,
  formatCheckpoint,
  formatSignedNote,
  verifyCheckpoint,
} from './checkpoint.ts'
export { decodeBundle, encodeBundle, entryBytesMax } from './entry-bundle.ts'
export { type EntryRange, findEntries, findOtherEntries, type ReadableLog } from './find-entries.ts'
export { type LogResource, type LogSource, MissingTileError, WrongTileError } from './log-source.ts'
export { equalBytes, hashBytes, leafHash } from './merkle-hash.ts'
export { hashRange, inclusionRanges, nodesOf, proveInclusion, rootOf, type TreeHead } from './merkle-range.ts'
export { createMerkleTree, type MerkleTree, rootAfter } from './merkle-tree.ts'
export { formatTilePath, parseTilePath, type Tile, tileAt, tileWidth } from './tile.ts'
export { decodeUtf8, encodeUtf8 } from './utf8.ts'
export { createVerifiedTree, rootOfEdge, type TreeEdge, type VerifiedTree } from './verified-tree.ts'
export {
  createVerifierKey,
  formatVerifierKey,
  isOrigin,
  parseVerifierKey,
  type VerifierKey,
} from './verifier-key.ts'
