import { openDatabase } from '@tallystick/database'
import { openSubgraph, startFollower } from '@tallystick/subgraph'
import { createMapping, schema } from './follow-mapping.mjs'

// Follows until it is killed, and prints every new state and head.
const [databaseUrl, namespace, rpcUrl, address] = process.argv.slice(2)

const database = await openDatabase(databaseUrl)
const subgraph = await openSubgraph({ database, schema, namespace })
// The head of the chain is read every 20 ms.
const time = {
  setTimer: ({ ms }, callback) => {
    const timer = setTimeout(callback, Math.min(ms, 20))
    return { stop: () => clearTimeout(timer) }
  },
}
const ignore = () => undefined
const follower = startFollower({
  subgraph,
  database,
  name: namespace,
  chainId: 324,
  urls: [rpcUrl],
  mapping: createMapping(address),
  startBlock: 1,
  log: { info: ignore, warn: ignore, error: ignore },
  time,
  rpcRetryMs: 5,
})
let said = ''
setInterval(() => {
  const { state, head, eventsIndexed } = follower.status()
  const line = `${state} at ${head?.number}, ${eventsIndexed} events\n`
  if (line !== said) process.stdout.write(line)
  said = line
}, 5)
