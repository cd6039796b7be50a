import type { Service } from '@tallystick/service'
import type { Devnet } from '../devnet/devnet.ts'
import { type Home, readText } from '../home/home.ts'

const walletsHint = ' (wallets with public test keys are in the credentials)'

/** Returns the text that the terminal shows before the `ready` line. */
export function welcome(
  home: Home,
  {
    apiKey,
    service: { baseUrl, adminUrl },
    devnets,
  }: {
    readonly apiKey: string
    readonly service: Pick<Service, 'baseUrl' | 'adminUrl'>
    readonly devnets: readonly Devnet[]
  },
): string {
  const chains = devnets.map(
    ({ chain, node }, index) => `  ${chain.label.padEnd(12)} ${node.url}${index === 0 ? walletsHint : ''}`,
  )
  return `
  base URL     ${baseUrl}
  page         ${baseUrl}/ (for a browser; the key is filled in)
  API key      ${apiKey}
  console      ${adminUrl}/console (for operators; admin token ${readText(home.adminToken)})
${chains.join('\n')}
  credentials  ${home.credentials}
  log          ${home.log}

Try it:

  curl --cacert '${home.caCert}' -H 'x-api-key: ${apiKey}' ${baseUrl}/notes

The command line works while the sandbox runs:

  npx tallystick notes show --config '${home.config}'

Press Ctrl-C to stop.
`
}
