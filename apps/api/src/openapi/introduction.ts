/** What holds for every endpoint: the description of the OpenAPI document, in Markdown. */
export const introduction = `A treasury-note protocol lends on-chain at a fixed coupon. Its pool contract takes a note only with a signature that is valid for one New York period. This service signs the day’s notes, answers what the chain knows, and states the rates.

## Start

Ask the operator for a key, and put it, with the address of the service, where the examples look for them:

\`\`\`sh
export TALLYSTICK_URL=https://localhost:8443
export TALLYSTICK_KEY=tsk_test_y1R4vmrvfPgjQeX0YqTlcoqH2GdH3Z2kCisZ
\`\`\`

The sandbox (\`npm start\`) prints both. Its certificate is its own: \`export CURL_CA_BUNDLE=.tallystick/tls/ca.pem\` for curl, and \`NODE_EXTRA_CA_CERTS\` the same for Node.

## Keys

Send the key in the \`x-api-key\` header, over HTTPS only. Plain HTTP is refused, not redirected. A key that is missing, malformed, unknown, revoked or expired is a 403 \`invalid_api_key\`, before anything else in the request is looked at. Keep it on a server: whoever can read a page can read the key in it.

## Numbers

Timestamps, rates and every integer that can exceed 2^53 are decimal strings. Timestamps are Unix seconds. Rates are basis points per 360-day year: \`"369"\` is 3.69 %. Each field below says its unit.

## Limits

\`RateLimit-Policy\` says how many requests a key, or an address, has in a minute, and \`RateLimit\` how many are left. The one too many is a 429 with \`Retry-After\`.

## Failures

Every answer that is not a success is JSON with \`message\`, \`code\`, \`requestId\` and sometimes \`details\`. Go by \`code\`: the message is for people and may be reworded. Error answers are never cached.`
