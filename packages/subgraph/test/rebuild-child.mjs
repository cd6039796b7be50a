import { openDatabase } from '@tallystick/database'
import { openSubgraph, rebuildIndex } from '@tallystick/subgraph'
import { createMapping, schema } from './follow-mapping.mjs'
import { readTallyError } from './rebuild-queries.mjs'

// Rebuilds an index, or queries it until it is killed. Prints every new result.
const [work, databaseUrl, namespace, rpcUrl, address] = process.argv.slice(2)
const database = await openDatabase(databaseUrl)
let said = ''
const say = (line) => {
  if (line !== said) process.stdout.write(`${line}\n`)
  said = line
}

// The head of the chain is read every 20 ms.
const time = {
  setTimer: ({ ms }, callback) => {
    const timer = setTimeout(callback, Math.min(ms, 20))
    return { stop: () => clearTimeout(timer) }
  },
}

if (work === 'query') {
  const subgraph = await openSubgraph({ database, schema, namespace })
  for (;;) say(String(await readTallyError(subgraph)))
} else {
  const ignore = () => undefined
  await rebuildIndex({
    ...{ database, schema, namespace, chainId: 324, urls: [rpcUrl], startBlock: 1, time },
    mapping: createMapping(address),
    log: { info: ignore, warn: ignore, error: ignore },
    verify: async () => undefined,
    signal: new AbortController().signal,
    onProgress: ({ step, block }) => say(`${step} at ${block}`),
  })
}
