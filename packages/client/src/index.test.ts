import { expect, test } from 'vitest'
import * as client from './index.ts'

test('default: the list of exports changes only on purpose', () => {
  expect(Object.keys(client)).toMatchInlineSnapshot(`
    [
      "annualisedFloatingRate",
      "fixedIncome",
      "floatingIncome",
      "batchClaimCalldata",
      "claimCalldata",
      "permitClaimCalldata",
      "lendCalldata",
      "permitLendCalldata",
      "permitClaimTypedData",
      "permitLendTypedData",
      "poolAbi",
      "poolEventAbi",
      "simulateCall",
      "ClientError",
      "createClient",
      "ConnectionError",
      "HttpsRequiredError",
      "InsufficientScopeError",
      "InvalidApiKeyError",
      "InvalidRequestError",
      "MalformedAnswerError",
      "NotesUnavailableError",
      "QueryRejectedError",
      "RateLimitedError",
      "ServiceError",
      "TimeoutError",
      "TlsError",
      "UpstreamError",
      "expectedIncome",
      "floatingAccumulator",
      "LogError",
      "NotLoggedError",
      "verifyLogged",
      "noteStatus",
      "verifyNote",
      "explainRevert",
      "verifyWebhook",
      "WebhookError",
    ]
  `)
})
