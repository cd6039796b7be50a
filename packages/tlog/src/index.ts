export { decodeBase64, encodeBase64 } from './base64.ts'
export {
  type Checkpoint,
  CheckpointError,
  checkpointBytesMax,
  formatCheckpoint,
  formatSignedNote,
  openCheckpoint,
} from './checkpoint.ts'
export { decodeBundle, encodeBundle, entryBytesMax } from './entry-bundle.ts'
export { emptyRoot, equalBytes, hashBytes, leafHash, nodeHash } from './merkle-hash.ts'
export {
  consistencyRanges,
  hashRange,
  inclusionRanges,
  nodesOf,
  type ReadNode,
  rootOf,
  type TreeNode,
} from './merkle-range.ts'
export { createMerkleTree, type MerkleTree } from './merkle-tree.ts'
export { rootAfter } from './root-after.ts'
export { formatTilePath, hashOfNode, parseTilePath, type Tile, tileAt, tileOf, tileWidth } from './tile.ts'
export { decodeUtf8, encodeUtf8 } from './utf8.ts'
export {
  createVerifierKey,
  formatVerifierKey,
  isOrigin,
  parseVerifierKey,
  type VerifierKey,
} from './verifier-key.ts'
export { type TreeHead, verifyConsistency, verifyInclusion } from './verify-proof.ts'
