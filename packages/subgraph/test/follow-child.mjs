import { openDatabase } from '@tallystick/database'
// By its own name, which is what is built: that starts in a third of the time the sources take.
import { createFollower, openSubgraph } from '@tallystick/subgraph'
import { createMapping, schema } from './follow-mapping.mjs'

// Follows until it is killed, and says every state and head it comes to.
const [databaseUrl, namespace, rpcUrl, address] = process.argv.slice(2)

const database = await openDatabase(databaseUrl)
const subgraph = await openSubgraph({ database, schema, namespace })
const ignore = () => undefined
const follower = createFollower({
  subgraph,
  database,
  name: namespace,
  chainId: 324,
  urls: [rpcUrl],
  mapping: createMapping(address),
  startBlock: 1,
  log: { info: ignore, warn: ignore, error: ignore },
  pollMs: 20,
})
let said = ''
setInterval(() => {
  const { state, head, eventsIndexed } = follower.status()
  const line = `${state} at ${head?.number}, ${eventsIndexed} events\n`
  if (line !== said) process.stdout.write(line)
  said = line
}, 5)
