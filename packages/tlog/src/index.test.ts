import { expect, test } from 'vitest'
import * as tlog from './index.ts'

test('default: the list of exports changes only on purpose', () => {
  expect(Object.keys(tlog)).toMatchInlineSnapshot(`
    [
      "decodeBase64",
      "encodeBase64",
      "CheckpointError",
      "checkpointBytesMax",
      "formatCheckpoint",
      "formatSignedNote",
      "openCheckpoint",
      "decodeBundle",
      "encodeBundle",
      "entryBytesMax",
      "findEntries",
      "findOtherEntries",
      "MissingTileError",
      "WrongTileError",
      "equalBytes",
      "hashBytes",
      "leafHash",
      "nodesOf",
      "rootOf",
      "createMerkleTree",
      "parseTilePath",
      "consistencyRanges",
      "hashRange",
      "inclusionRanges",
      "proveInclusion",
      "rootAfter",
      "formatTilePath",
      "tileAt",
      "tileWidth",
      "decodeUtf8",
      "encodeUtf8",
      "createVerifiedTree",
      "rootOfEdge",
      "createVerifierKey",
      "formatVerifierKey",
      "isOrigin",
      "parseVerifierKey",
      "verifyConsistency",
      "verifyInclusion",
    ]
  `)
})
