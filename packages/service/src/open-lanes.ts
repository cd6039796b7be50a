import {
  createDateFormatter,
  type Handler,
  type PremadeWriter,
  premadeWriter,
  tlsHeaders,
  varyByOrigin,
  verifyPremadeWriter,
} from '@tallystick/http'
import type { Logger } from 'pino'
import { createDataLane, type DataLaneParts } from './data/data-lane.ts'
import { createFastLane, type FastLaneParts } from './notes/fast-lane.ts'

type LanesParts = FastLaneParts & DataLaneParts

export type LanesOptions = Omit<LanesParts, 'writer' | 'formatDate' | 'headers'> & {
  readonly log: Logger
  readonly writer?: PremadeWriter | undefined
}

/**
 * Returns the function that puts the lanes before the framework. If premade responses differ from those of this Node
 * version, it returns the framework's handler unchanged and logs one line.
 */
export async function openLanes({
  log,
  writer = premadeWriter,
  ...options
}: LanesOptions): Promise<(framework: Handler) => Handler> {
  const problem = await verifyPremadeWriter(writer)
  if (problem !== undefined) {
    log.warn({ node: process.version, problem }, 'fast lane disabled: premade responses differ from those of Node')
    return (framework) => framework
  }
  const headers = options.cors ? { ...tlsHeaders, ...varyByOrigin } : tlsHeaders
  const parts = { ...options, writer, headers, formatDate: createDateFormatter() }
  return (framework) => createDataLane(parts, createFastLane(parts, framework))
}
