import type { ErrorCode } from '@tallystick/core'

/**
 * Codes of a `ClientError`: those of the service (see docs/errors.md) and twenty-one of the client. `connection_failed`: no
 * complete response was received. `tls_check_failed`: see `TlsError`. `timeout`: the response did not arrive in time. `malformed_answer`: the response does not
 * match this client version. `http_error`: the response is not from the service but, for example, from a proxy.
 * `not_logged`, `log_incomplete`, `log_invalid` and `log_forked`: see `NotLoggedError` and `LogError`.
 * `invalid_webhook`: see `WebhookError`. `income_not_reported`: a claim would lose income, see `IncomeNotReportedError`. The
 * last eleven are those of `TransactionError` in `@tallystick/client/viem`.
 */
export type ClientErrorCode =
  | ErrorCode
  | 'connection_failed'
  | 'tls_check_failed'
  | 'timeout'
  | 'malformed_answer'
  | 'http_error'
  | 'invalid_webhook'
  | 'not_logged'
  | 'log_incomplete'
  | 'log_invalid'
  | 'log_forked'
  | 'income_not_reported'
  | 'note_expired'
  | 'note_not_yet_valid'
  | 'call_reverted'
  | 'wallet_rejected'
  | 'wrong_chain'
  | 'transaction_replaced'
  | 'transaction_dropped'
  | 'transaction_pending'
  | 'chain_failed'
  | 'aborted'
