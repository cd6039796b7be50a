import type { LogProof } from '@tallystick/core'
import { describeGet, jsonContent } from '../openapi/describe-operation.ts'
import { curl, typescriptWith } from '../openapi/samples.ts'
import { queryParameters } from '../openapi/schemas.ts'
import type { Endpoint, Parameter } from '../routing/document.ts'

const access = 'It needs no key. Requests are limited per address.'
const about = `The public log has everything that the service signed: curves, notes and signers. It is a Merkle tree in the form of C2SP \`tlog-tiles\`. ${access}`

/** `GET /log/checkpoint`. */
export const describeCheckpoint = describeGet(({ endpoint }) => ({
  operationId: 'getLogCheckpoint',
  summary: 'Signed state of the public log',
  description: `Returns the newest checkpoint: origin, number of entries and root of the tree, signed by the key of the log (C2SP \`tlog-checkpoint\`). ${about}`,
  ...textOf('A signed note.', endpoint),
}))

/** `GET /log/key`. */
export const describeLogKey = describeGet(({ endpoint }) => ({
  operationId: 'getLogKey',
  summary: 'Verifier key of the public log',
  description: `Returns the public key that verifies checkpoints. Take the key from somewhere else too, such as the operator’s website: a key from the service itself proves only that the service agrees with itself. ${access}`,
  ...textOf('The key: `<name>+<id>+<base64>`.', endpoint),
}))

function textOf(response: string, { path }: Endpoint) {
  return {
    tag: 'Log',
    response,
    content: { 'text/plain': { schema: { type: 'string', description: response } } },
    codes: ['invalid_parameter', 'not_ready'],
    samples: [curl(`curl "$TALLYSTICK_URL${path}"`)],
  } as const
}

const tilePath: Parameter = {
  name: 'path',
  in: 'path',
  required: true,
  description:
    'Level, index and, for a partial tile, its width: `<level>/<index>` or `<level>/<index>.p/<width>`. The index is written in groups of three digits: 1234067 is `x001/x234/067`. Level `entries` has the entries themselves. [path]',
  schema: { type: 'string', 'x-unit': 'path', examples: ['entries/000.p/3'] },
}

/** `GET /log/tile/*`. */
export const describeTiles = describeGet(() => ({
  operationId: 'getLogTile',
  tag: 'Log',
  summary: 'Tiles and entries of the public log',
  description: `Returns a tile of up to 256 hashes, or a bundle of up to 256 entries, each with its length in two bytes before it. Tiles and bundles never change. A bundle with an entry whose period has not begun is not served yet. ${about}`,
  parameters: [tilePath],
  response: 'The tile or bundle.',
  content: { 'application/octet-stream': { schema: { type: 'string', description: 'Bytes.' } } },
  codes: ['invalid_parameter', 'log_entries_withheld', 'not_ready'],
  samples: [curl('curl "$TALLYSTICK_URL/log/tile/entries/000.p/1"')],
}))

/** `GET /log/proof`. */
export const describeProof = describeGet(({ context, chainId }) => ({
  operationId: 'getLogProof',
  tag: 'Log',
  summary: 'Proof that notes are in the public log',
  description: `Returns the entry of the notes of a chain and period, with the hashes that connect it to the checkpoint, for those who do not want to read tiles. A period that has not begun is not found. ${about}`,
  parameters: queryParameters('logProof', context),
  response: 'The entry and its proof.',
  content: jsonContent('LogProof', { proof: { summary: 'The first entry of a log', value: exampleProof } }),
  codes: ['invalid_chainid', 'invalid_parameter', 'not_ready'],
  samples: [
    curl(`curl "$TALLYSTICK_URL/log/proof?chainid=${chainId}"`),
    typescriptWith(
      ['verifyLogged'],
      `const { notes } = await client.notes({ chainId: ${chainId} })`,
      '// Compare the key with another source once, and keep it in your configuration.',
      `const key = await (await fetch(\`\${TALLYSTICK_URL}/log/key\`)).text()`,
      `for (const logged of await verifyLogged(notes, { log: \`\${TALLYSTICK_URL}/log\`, key })) {`,
      '  console.log(logged.index, logged.size, logged.origin)',
      '}',
    ),
  ],
}))

const exampleProof: LogProof = {
  message: 'Entry 0 of notes.example/log.',
  origin: 'notes.example/log',
  index: 0,
  size: 1,
  root: 'bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=',
  leafHash: 'bjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=',
  hashes: [],
  entry: '{"v":1,"type":"notes","salt":"0f1e2d3c4b5a69788796a5b4c3d2e1f0"}',
  checkpoint: 'notes.example/log\n1\nbjQLnP+zepicpUTmu3gKLHiQHT+zNzh2hRGjBhevoB0=\n\n— notes.example/log Gwa0…\n',
}
