export { chooseConnectionsMax, readOpenFileLimit } from './connection/choose-bounds.ts'
export {
  type AddHandler,
  endIdleConnections,
  type Handler,
  paceRequests,
  paceServer,
} from './connection/connections.ts'
export { cutUnread } from './connection/cut-unread.ts'
export { createLameDuck } from './connection/lame-duck.ts'
export { connectionMetricHelp, createCutCounter, limitConnections } from './connection/limit-connections.ts'
export { createTimeBudget, type TimeBudget } from './connection/time-budget.ts'
export {
  createInstance,
  httpMetricHelp,
  type InstanceParts,
  measureRequests,
  securityHeaders,
  tlsHeaders,
} from './create-instance.ts'
export { type FastPathOptions, prepareFastPath } from './fast/fast-path.ts'
export { type MemoryResponse, rememberAnswer, sendResponse } from './fast/remember-answers.ts'
export { createRequestIds, type PrebuiltWriter, prebuiltWriter } from './head.ts'
export { drain, isLoopback, listen } from './listen.ts'
export { groupOfAddress } from './request/address-group.ts'
export {
  createAddressLimit,
  createAddressWindows,
  type FindAddressWindow,
  type LimitAddress,
} from './request/address-limit.ts'
export {
  type Caller,
  createIdentifyCaller,
  createRequestAddress,
  type IdentifyCaller,
} from './request/client-address.ts'
export { assertJson, assertUtf8, chooseMediaType, findMediaType, jsonType } from './request/content.ts'
export { countRequest } from './request/count-request.ts'
export { createIsForwardedHttps, requireForwardedHttps } from './request/https-required.ts'
export { assertParameters, invalidParameter, listInWords, parseCount, parseDay } from './request/query-parameters.ts'
export { type Cors, createCors, isPreflight, sendPreflight, varyByOrigin } from './response/cors.ts'
export { type EncodedError, type EncodeError, errorBody, isDatabaseAway, refusal, statusOf } from './response/errors.ts'
export { allowLongResponse } from './response/long-response.ts'
export { matchesEtag } from './response/matches-etag.ts'
export { type OpenTls, openTls } from './tls/open-tls.ts'
export { createTlsServer } from './tls/tls-server.ts'
export { findDateProblem } from './tls/watch-certificate.ts'
export { ticketKeyBytes } from './tls/watch-ticket-keys.ts'
