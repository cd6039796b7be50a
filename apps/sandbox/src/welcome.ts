import type { Home } from './home.ts'

/** What is said to the person at the terminal when everything answers. */
export function welcome(
  home: Home,
  { apiKey, baseUrl, rpcUrl }: { readonly apiKey: string; readonly baseUrl: string; readonly rpcUrl: string },
): string {
  return `
  base URL     ${baseUrl}
  page         ${baseUrl}/ (for a browser; the key is filled in)
  API key      ${apiKey}
  chain        ${rpcUrl} (wallets with test keys, known to everybody, are in the credentials)
  credentials  ${home.credentials}
  log          ${home.log}

Try it:

  curl --cacert '${home.caCert}' -H 'x-api-key: ${apiKey}' ${baseUrl}/notes

The operator's command line works beside it:

  npx tallystick notes show --config '${home.config}'

Ctrl-C stops it.
`
}
