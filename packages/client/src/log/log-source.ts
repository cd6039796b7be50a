import { checkpointBytesMax, decodeUtf8, type LogResource, type LogSource } from '@tallystick/tlog'
import { ClientError } from '../client-error.ts'
import type { Connection } from '../http/connection.ts'
import { requestBytes } from '../http/request-bytes.ts'
import { incomplete } from './log-error.ts'

/** Reads the resources of a log. Nothing it returns is verified. */
export type ClientLogSource = LogSource & { readCheckpoint(): Promise<string> }

// 32 sets with a proof and at most 14 tiles each, which they share for the most part.
const requestsMax = 512
// As many as browsers send to one host.
const requestsAtOnceMax = 6

/** Creates a source for one verification. It requests each resource once, and not more than 512. */
export function createLogSource(connection: Connection): ClientLogSource {
  let requests = 0
  const queues = Array.from({ length: requestsAtOnceMax }, () => Promise.resolve<unknown>(undefined))
  const request = (path: string, bytesMax: number) => {
    const at = requests % requestsAtOnceMax
    requests += 1
    const answer = (queues[at] as Promise<unknown>).then(() => {
      if (requests > requestsMax) throw incomplete(`The verification needs more than ${requestsMax} requests.`)
      // Only full tiles never change.
      return requestBytes(connection, { path: `/${path}`, bytesMax, isConstant: /^tile\/[^.]+$/.test(path) })
    })
    queues[at] = answer.catch(() => undefined)
    return answer
  }
  const requested = new Map<string, Promise<LogResource>>()
  return {
    readCheckpoint: async () => decodeUtf8(await request('checkpoint', checkpointBytesMax)),
    read: (path, bytesMax) => {
      const resource = requested.get(path) ?? request(path, bytesMax).then((bytes) => ({ bytes }), emptyIfMissing)
      requested.set(path, resource)
      return resource
    },
  }
}

// Hosts of static files may reject a query string, or respond with 403 for files that do not exist. A service rejects a
// chain that it does not have any more.
const statusesOfMissing: readonly (number | undefined)[] = [400, 403, 404, 405, 410]

/** Returns no bytes for the error of a resource that does not exist. */
function emptyIfMissing(error: unknown): LogResource {
  if (error instanceof ClientError && statusesOfMissing.includes(error.status)) return {}
  throw error
}
