import { expect, test } from 'vitest'
import * as core from './index.ts'

test('default: what the package offers changes only on purpose', () => {
  expect(Object.keys(core)).toMatchInlineSnapshot(`
    [
      "formatNewYork",
      "formatPeriod",
      "maturityOf",
      "periodAfter",
      "periodAt",
      "errorCodes",
      "TallystickError",
      "annualisedFloatingRate",
      "fixedIncome",
      "floatingIncome",
      "partnerFee",
      "createApiKey",
      "isApiKey",
      "keyKinds",
      "keyScopes",
      "noteStatusAt",
      "hashNote",
      "noteTypedData",
      "noteTypes",
      "findSignatureFault",
      "verifyNote",
      "currentRates",
      "errorBodySchema",
      "decodeNote",
      "encodeNote",
      "notesResponseSchema",
      "wireNoteSchema",
      "chainRatesSchema",
      "rateResponseSchema",
    ]
  `)
})
