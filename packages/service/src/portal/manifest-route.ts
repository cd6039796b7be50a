import type { Route } from '../routing/route.ts'
import type { PortalFiles } from './portal-files.ts'

/**
 * Creates the route of `/manifest.json`, from which a Safe reads the name and the icon of an app that is added by its URL. It
 * reads it from its own origin.
 */
export function createManifestRoute(files: PortalFiles): Route {
  const icon = [...files.keys()].find((path) => path.endsWith('.svg'))
  const text = JSON.stringify({
    name: 'Tallystick',
    description:
      'Lend dollars for a fixed time, at a coupon that is known before. See what each position pays, and claim it.',
    iconPath: icon?.slice(1),
  })
  return {
    method: 'GET',
    url: '/manifest.json',
    openTo: 'any-origin',
    handler: (_, reply) => reply.header('cache-control', 'no-cache').type('application/json; charset=utf-8').send(text),
  }
}
