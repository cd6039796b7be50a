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
      "emptyRoot",
      "equalBytes",
      "hashBytes",
      "leafHash",
      "nodeHash",
      "consistencyRanges",
      "hashRange",
      "inclusionRanges",
      "nodesOf",
      "rootOf",
      "createMerkleTree",
      "rootAfter",
      "formatTilePath",
      "hashOfNode",
      "parseTilePath",
      "tileAt",
      "tileOf",
      "tileWidth",
      "decodeUtf8",
      "encodeUtf8",
      "createVerifierKey",
      "formatVerifierKey",
      "isOrigin",
      "parseVerifierKey",
      "verifyConsistency",
      "verifyInclusion",
    ]
  `)
})
