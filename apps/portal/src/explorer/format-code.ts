import { quoteCode, type SampleContext } from '../docs/requests/format-request.ts'
import { quoteLargeIntegers } from '../json/reformat-json.ts'
import { type Draft, parseVariables } from './draft.ts'

/** Formats a draft as TypeScript that uses the SDK. Its variables must be valid. */
export function formatSdkCode(
  { query, variables, chains, operationName }: Draft,
  { baseUrl, apiKey }: SampleContext,
): string {
  const key = apiKey === undefined ? "process.env['TALLYSTICK_KEY']" : quoteCode(apiKey)
  // A number of the code would be rounded. The service accepts a string for it.
  const given = parseVariables(variables) ? (parseVariables(quoteLargeIntegers(variables || '{}')) ?? {}) : {}
  const lines = [
    `query: ${quoteTemplate(query)},`,
    ...(Object.keys(given).length > 0 ? [`variables: ${formatObject(given)},`] : []),
    `chains: [${chains.join(', ')}],`,
    ...(operationName === undefined ? [] : [`operationName: ${quoteCode(operationName)},`]),
  ]
  return `import { createClient } from '@tallystick/client'

const client = createClient({ baseUrl: ${quoteCode(baseUrl)}, apiKey: ${key} })
const results = await client.data({
${lines.map((line) => `  ${line}`).join('\n')}
})
for (const { chain, data, errors } of results) console.log(chain, data ?? errors)
`
}

function quoteTemplate(text: string): string {
  // A template turns a carriage return into a line feed.
  return `\`${text.replaceAll(/[\\`]|\$(?=\{)/g, '\\$&').replaceAll('\r', '\\r')}\``
}

/** Writes an object as code. `"__proto__": …` in code would set the prototype, where JSON has a member. */
function formatObject(value: object): string {
  const json = JSON.stringify(value, undefined, 2)
  return json.replaceAll(/^(\s*)"__proto__":/gm, '$1["__proto__"]:').replaceAll('\n', '\n  ')
}
