import { isIP } from 'node:net'
import { quote } from '@tallystick/base'
import type { TallystickError } from '@tallystick/core'
import { refusal } from '@tallystick/http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { PortalFiles } from '../portal/portal-files.ts'
import { sendPortalFile } from '../portal/portal-routes.ts'
import { needs } from './require-role.ts'

export type ConsoleParts = {
  /** Undefined if the console was not built. */
  readonly files: PortalFiles | undefined
  /** `admin.host`. */
  readonly host: string
}

// The page holds an admin token in memory: no window of another origin may refer to it or embed its files.
const isolation = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-resource-policy': 'same-origin' }

/** Adds the operator's console. Its files need no token. Everything that it shows and does needs the one that is typed in. */
export function addConsoleRoutes(app: FastifyInstance, { files, host }: ConsoleParts): void {
  const onRequest = (request: FastifyRequest, reply: FastifyReply, done: (error?: Error) => void) => {
    reply.headers(isolation)
    done(isOwnName(request.headers.host, host) ? undefined : wrongName(request.headers.host))
  }
  const handler = (request: FastifyRequest, reply: FastifyReply) => {
    if (!files) throw refusal('not_found', 'The console was not built. Run `npm run build` and restart the service.')
    return sendPortalFile(files, { request, reply })
  }
  for (const url of ['/console', '/console/', '/console/assets/:name']) {
    app.get(url, { ...needs('none'), onRequest }, handler)
  }
}

/**
 * Returns whether a `Host` header names this listener: an address, localhost, or the configured host. A site whose name was
 * made to resolve to this machine (DNS rebinding) would otherwise show the console as its own.
 */
function isOwnName(header: string | undefined, configured: string): boolean {
  const name = /^(?:\[([^\]]+)\]|([^:]+))(?::\d*)?$/.exec(header ?? '')
  const host = (name?.[1] ?? name?.[2] ?? '').toLowerCase().replace(/\.$/, '')
  return isIP(host) > 0 || host === 'localhost' || host.endsWith('.localhost') || host === configured.toLowerCase()
}

function wrongName(host: string | undefined): TallystickError {
  return refusal(
    'invalid_request',
    `The console is not served under the name ${quote(host ?? '')}, so that no other site can pose as it. ` +
      'Use the address of this machine, localhost, or the name in admin.host.',
  )
}
