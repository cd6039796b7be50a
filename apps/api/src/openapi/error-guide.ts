import type { ErrorCode } from '@tallystick/core'

/** What each code means, in a sentence; docs/errors.md says more. */
export const errorGuide: Readonly<Record<ErrorCode, string>> = {
  https_required: 'The request came over plain HTTP. Use https, and have a key that was sent this way rotated.',
  invalid_api_key:
    'The `x-api-key` header is missing, malformed, unknown, revoked or expired. Ask the operator for a key.',
  insufficient_scope: 'The key is valid but lacks the scope of this endpoint, which is `details.scope`.',
  rate_limited: 'The requests of this minute are used up. Wait as long as `Retry-After` says.',
  invalid_chainid: '`chainid` is not one supported chain id in plain decimal digits. Use one of `details.supported`.',
  invalid_maturity: '`maturity` is not a comma separated list of days, or names a tenor that is not on offer.',
  invalid_chains:
    '`variables.chains` is missing, empty, or names a chain twice or one of no use. See `details.supported`.',
  query_rejected: 'The query itself is wrong, or breaks a limit, which `details.limit` names. Correct it.',
  invalid_parameter: 'The query string has a parameter this endpoint does not know. Names are case-sensitive.',
  invalid_request: 'The request cannot be read, or its body is not what this endpoint takes.',
  not_found: 'There is nothing at this path. Paths are case-sensitive and end without a slash.',
  method_not_allowed: 'The endpoint does not take this method. The `Allow` header lists those it takes.',
  not_acceptable: 'The `Accept` header rules out `application/json`.',
  request_timeout: 'The request did not arrive whole in time. Send it again on a new connection.',
  payload_too_large: 'The body is over 64 KiB. Send less.',
  unsupported_media_type: 'The body is not declared as JSON. Send `Content-Type: application/json`.',
  headers_too_large: 'The headers together are larger than the server takes. Send fewer or shorter ones.',
  internal_error: 'Something failed that should not. Try again later; give the operator the `requestId` if it stays.',
  notes_unavailable:
    'There are no notes for the current period; older ones are of no use. Try again after `Retry-After`.',
  upstream_failed: 'No subgraph of any chain asked gave a usable answer. Try again later.',
  upstream_timeout: 'The subgraphs of the chains asked did not answer in time. Try again, or ask for less at once.',
  not_ready:
    'The service cannot reach its database, which this answer needs, or too many queries without a key wait. Try again after `Retry-After`.',
  unauthorized: 'Admin listener: the admin token is missing or wrong.',
  insufficient_role: 'Admin listener: the admin token lacks the role that the route needs.',
  invalid_curve: 'Admin listener: the curve is not one of the tenors on offer, in whole basis points.',
  rail_refused: 'Admin listener: the curve breaks a rail and was not stored.',
  proposal_refused: 'Admin listener: the proposed curve cannot be approved, or not by this name.',
  invalid_key_request: 'Admin listener: a key was asked for with something that is not valid.',
  key_not_found: 'Admin listener: no key has this id.',
  key_not_active: 'Admin listener: the key to be rotated is revoked or expired.',
  invalid_config: 'Command line: the configuration is wrong. Nothing was started.',
  invalid_note_file: 'Command line: the file to be verified holds no notes.',
  signer_failed: 'Log: the signer did not sign, or signed what must not be published.',
  database_unavailable: 'Command line: the database cannot be reached.',
  database_in_use: 'Command line: another process has the embedded database open.',
  database_too_new: 'Command line: a newer version has used the database.',
  journal_unusable: 'Command line and log: the signer journal cannot be read or written, or another process has it.',
  database_outdated:
    'Command line: the database has no tables yet, or those of an earlier version, and the command only reads.',
  server_unreachable: 'Command line: what listens where the admin listener should be does not answer like it.',
}
