import type { ErrorCode } from '@tallystick/core'

/** Meaning of each code in one sentence. docs/errors.md has the details. */
export const errorGuide: Readonly<Record<ErrorCode, string>> = {
  https_required: 'The request came over plain HTTP. Use https, and have a key that was sent this way rotated.',
  invalid_api_key:
    'The `x-api-key` header is missing, malformed, unknown, revoked or expired. Ask the operator for a key.',
  insufficient_scope: 'The key is valid but lacks the scope of this endpoint, which is `details.scope`.',
  address_not_allowed:
    'The key may not be used from this address. Use it from a network that the operator has allowed.',
  visitor_token_invalid: 'The visitor token of the page is not one of this service. The page gets a new one itself.',
  visitor_token_expired: 'The visitor token of the page has expired. The page gets a new one itself.',
  visitor_not_allowed:
    'Visitors of the page may not do this without an API key, or the request is not from the page of this service.',
  rate_limited: 'The request limit of this second or minute is used up. Wait for `Retry-After` seconds.',
  quota_exceeded:
    'The quota of this UTC day or month is used up. Wait for `Retry-After` seconds, or ask the operator for more.',
  too_many_streams: 'The key has as many streams of `/events` open as it may. Close one, or share a stream.',
  invalid_chainid: '`chainid` is not one supported chain id in plain decimal digits. Use one of `details.supported`.',
  invalid_maturity:
    '`maturity` is not a comma separated list of days, or contains a tenor that the requested chains never offer.',
  invalid_chains:
    '`variables.chains` is missing or empty, or contains a chain twice or an unsupported one. See `details.supported`.',
  query_rejected: 'The query is invalid or exceeds the limit in `details.limit`. Correct the query.',
  persisted_query_not_found:
    'The service does not know the text of a persisted query. Send the text together with its hash, as clients do on their own.',
  invalid_parameter: 'A parameter is unknown or has an invalid value. Names are case-sensitive.',
  invalid_request: 'The request cannot be parsed, or its body does not match the schema of this endpoint.',
  not_found: 'There is nothing at this path. Paths are case-sensitive and end without a slash.',
  log_entries_withheld:
    'The bundle contains an entry of the public log that is not public before its period begins. Try again then.',
  method_not_allowed: 'The endpoint does not support this method. The `Allow` header lists the supported methods.',
  not_acceptable: 'The `Accept` header rules out every type that the path responds with.',
  request_timeout: 'The request was not received completely in time. Send it again on a new connection.',
  payload_too_large: 'The body is over 64 KiB. Send less.',
  unsupported_media_type: 'The body is not declared as JSON. Send `Content-Type: application/json`.',
  headers_too_large: 'The headers exceed the size limit. Send fewer or shorter headers.',
  internal_error: 'An unexpected error. Try again later. If it persists, send the operator the `requestId`.',
  notes_unavailable:
    'There are no such notes for the current period, or they are withheld because the pool would reject them; `message` says why. Notes of earlier periods have expired. Try again after `Retry-After`.',
  upstream_failed: 'No subgraph of the requested chains returned a usable answer. Try again later.',
  upstream_timeout: 'The subgraphs of the requested chains did not answer in time. Try again or select less.',
  not_ready:
    'The service cannot reach its database, too many queries without a key are waiting, or a replica accepts no more streams. Try again after `Retry-After`.',
  unauthorized: 'Admin listener: the admin token is missing or wrong.',
  insufficient_role: 'Admin listener: the admin token lacks the role that the route needs.',
  invalid_curve:
    'Admin listener: the curve lacks a tenor, has one that is not configured, or is not in whole basis points.',
  rail_refused: 'Admin listener: the curve fails a rail and was not stored.',
  proposal_refused: 'Admin listener: the proposed curve cannot be approved, or not by this user.',
  invalid_key_request: 'Admin listener: the request for a key has an invalid value.',
  key_not_found: 'Admin listener: no key has this id.',
  key_not_active: 'Admin listener: the key to be rotated is revoked or expired.',
  key_changed: 'Admin listener: somebody else has changed the key meanwhile.',
  invalid_hook: 'Admin listener: the hook cannot be added or changed.',
  hook_not_found: 'Admin listener: no hook has this id.',
  delivery_not_found: 'Admin listener: the hook has no delivery of this event, or the event was deleted.',
  index_job_running: 'Admin listener: the index of this chain is being rebuilt or checked.',
  invalid_config: 'Command line: the configuration is wrong. Nothing was started.',
  invalid_note_file: 'Command line: the file to verify contains no notes.',
  signer_failed: 'Log: the signer did not sign, or its signature is invalid.',
  database_unavailable: 'Command line: the database cannot be reached.',
  database_in_use: 'Command line: another process has the embedded database open.',
  database_too_new: 'Command line: a newer version of Tallystick has migrated the database.',
  journal_unusable: 'Command line and log: the signer journal cannot be read or written, or another process has it.',
  database_outdated: 'Command line: the database is not migrated to this version, and the command only reads.',
  server_unreachable: 'Command line: the server at the admin address does not answer like an admin listener.',
}
