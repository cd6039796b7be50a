import type { MetricHelp, Metrics, Time } from '@tallystick/base'
import { TallystickError } from '@tallystick/core'
import { countRequest, type IdentifyCaller, refusal } from '@tallystick/http'
import {
  formatVisitorToken,
  isGenuine,
  parseVisitorToken,
  type VisitorLimits,
  type VisitorSecrets,
} from '@tallystick/keys'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AdmitVisitor, visitorHeader } from '../routing/register-routes.ts'
import { assertOwnOrigin } from './own-origin.ts'

/** Access of people who use the page without a key (docs/decisions/0068-visitors-of-the-page.md). */
export type VisitorAccess = {
  /** Checks the token and the limit of a request to a route. Throws at the first that fails. */
  readonly admit: AdmitVisitor
  /** Issues a token to the page. Throws if the request is not from the page, or its address has no requests left. */
  issue(request: FastifyRequest, reply: FastifyReply): { readonly token: string; readonly expiresInSeconds: number }
}

export const visitorMetricHelp: MetricHelp = {
  tallystick_visitor_requests_total:
    'Requests of visitors of the page without an API key that were admitted, by route.',
  tallystick_visitor_refusals_total:
    'Requests of visitors that were refused, by reason: invalid, expired, not_allowed (another origin or route), limited.',
}

const lifetimeSeconds = 600
// The clocks of two replicas may differ by this much.
const skewSeconds = 60

type AccessParts = {
  readonly secrets: Pick<VisitorSecrets, 'newest' | 'find' | 'pseudonymOf'>
  readonly limitOf: VisitorLimits
  readonly identifyCaller: IdentifyCaller
  readonly time: Pick<Time, 'monotonic'>
  readonly metrics: Metrics
}

export function createVisitorAccess(parts: AccessParts): VisitorAccess {
  const { secrets, metrics } = parts
  const count = (request: FastifyRequest, reply: FastifyReply) => {
    const limit = parts.limitOf(secrets.pseudonymOf(parts.identifyCaller(request)))
    countRequest(limit, { reply, monotonicMs: parts.time.monotonic(), whose: 'Your address' })
    const route = String(request.routeOptions.url)
    metrics.counter('tallystick_visitor_requests_total', { route }).increment()
  }
  const countRefusal = (error: unknown) => {
    const reason = error instanceof TallystickError ? reasons[error.code] : undefined
    if (reason) metrics.counter('tallystick_visitor_refusals_total', { reason }).increment()
    return error
  }
  return {
    admit: async (request, { reply, isOpen }) => {
      try {
        const origin = assertOwnOrigin(request.headers, { isCertain: false })
        await assertToken(secrets, { request, origin })
        if (!isOpen) throw needsKey()
        count(request, reply)
      } catch (error) {
        throw countRefusal(error)
      }
    },
    issue: (request, reply) => {
      try {
        const origin = assertOwnOrigin(request.headers, { isCertain: true })
        count(request, reply)
        const expiresAt = Math.floor(request.nowMs / 1000) + lifetimeSeconds
        return { token: formatVisitorToken(secrets.newest(), { origin, expiresAt }), expiresInSeconds: lifetimeSeconds }
      } catch (error) {
        throw countRefusal(error)
      }
    },
  }
}

const reasons: Readonly<Partial<Record<TallystickError['code'], string>>> = {
  visitor_token_invalid: 'invalid',
  visitor_token_expired: 'expired',
  visitor_not_allowed: 'not_allowed',
  rate_limited: 'limited',
}

/** Throws if the token of a request is not genuine, is for another origin, or has expired. Its text is in no error. */
async function assertToken(
  secrets: Pick<VisitorSecrets, 'find'>,
  { request, origin }: { readonly request: FastifyRequest; readonly origin: string },
): Promise<void> {
  const token = parseVisitorToken(String(request.headers[visitorHeader]))
  const secret = token && (await secrets.find(token.secretId))
  if (!token || !secret || !isGenuine(token, { secret, origin })) throw invalidToken()
  const leftSeconds = token.expiresAt - request.nowMs / 1000
  // A clock that was ahead must not have issued a token for years.
  if (leftSeconds > lifetimeSeconds + skewSeconds) throw invalidToken()
  if (leftSeconds <= -skewSeconds) throw expiredToken()
}

/** One text for every fault. */
function invalidToken(): TallystickError {
  return refusal(
    'visitor_token_invalid',
    'The visitor token is not one of this service and this page. The page asks for a new one. A program needs an API key.',
  )
}

function expiredToken(): TallystickError {
  return refusal('visitor_token_expired', 'The visitor token has expired. The page asks for a new one.')
}

function needsKey(): TallystickError {
  return refusal(
    'visitor_not_allowed',
    'Visitors of the page may not use this endpoint. Ask the operator of this service for an API key.',
  )
}
