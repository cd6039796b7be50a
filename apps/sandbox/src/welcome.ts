import type { Devnet } from './devnet/devnet.ts'
import type { Home } from './home.ts'

const walletsHint = ' (wallets with test keys, known to everybody, are in the credentials)'

/** Returns the text for the person at the terminal when everything answers. */
export function welcome(
  home: Home,
  {
    apiKey,
    baseUrl,
    devnets,
  }: { readonly apiKey: string; readonly baseUrl: string; readonly devnets: readonly Devnet[] },
): string {
  const chains = devnets.map(
    ({ chain, node }, index) => `  ${chain.label.padEnd(12)} ${node.url}${index === 0 ? walletsHint : ''}`,
  )
  return `
  base URL     ${baseUrl}
  page         ${baseUrl}/ (for a browser; the key is filled in)
  API key      ${apiKey}
${chains.join('\n')}
  credentials  ${home.credentials}
  log          ${home.log}

Try it:

  curl --cacert '${home.caCert}' -H 'x-api-key: ${apiKey}' ${baseUrl}/notes

The operator's command line works beside it:

  npx tallystick notes show --config '${home.config}'

Ctrl-C stops it.
`
}
