/** Description of the OpenAPI document in Markdown. It covers what all endpoints have in common. */
export const introduction = `A treasury-note protocol lends on-chain at a fixed coupon. Its pool contract accepts a note only with a signature that is valid for one New York period. This service signs the day’s notes, answers queries about positions and earnings, and publishes the rates.

## Start

Get a key from the operator. The examples read it and the address of the service from the environment:

\`\`\`sh
export TALLYSTICK_URL=https://localhost:8443
export TALLYSTICK_KEY=tsk_test_y1R4vmrvfPgjQeX0YqTlcoqH2GdH3Z2kCisZ
\`\`\`

The sandbox (\`npm start\`) prints both. It has its own certificate authority: set \`CURL_CA_BUNDLE=.tallystick/tls/ca.pem\` for curl and \`NODE_EXTRA_CA_CERTS\` to the same file for Node.

## Keys

Send the key in the \`x-api-key\` header, over HTTPS only. Plain HTTP is rejected, not redirected. A key that is missing, malformed, unknown, revoked or expired is a 403 \`invalid_api_key\`. The key is checked before the rest of the request. Keep it on a server: a key in a web page can be read by every visitor. Pages of other origins can use a key only if the operator allows their origin.

## Numbers

Timestamps, rates and every integer that can exceed 2^53 are decimal strings. Timestamps are Unix seconds. Rates are basis points per 360-day year: \`"369"\` is 3.69 %. The unit of each field is given below.

## Limits

\`RateLimit-Policy\` gives the number of requests per minute of a key or an address, and \`RateLimit\` the number that remains. Responses to a key without a limit have neither. A request beyond the limit is a 429 with \`Retry-After\`.

## Failures

Every error response is JSON with \`message\`, \`code\`, \`requestId\` and sometimes \`details\`. Programs should use \`code\`: the message is for people and may change. Error responses are never cached.`
