import { redact } from '@tallystick/base/pure'
import { type Config, listAdminTokens, type SignerConfig } from '@tallystick/service'

/** Creates a function that removes the configuration's secrets from messages of drivers, nodes and subgraphs. */
export function createRedactor(config: Config): (text: string) => string {
  const secrets = [
    ...listAdminTokens(config.admin).map(({ token }) => token.reveal()),
    ...[config.signer, ...config.chains.map(({ signer }) => signer)].flatMap(signerSecrets),
    ...(config.log ? [config.log.key.reveal()] : []),
    ...[config.database, ...(config.signer.protection ? [config.signer.protection] : [])].flatMap((url) =>
      databasePasswords(url.reveal()),
    ),
    ...config.chains.flatMap(({ rpc, subgraph }) => [
      ...[...rpc, ...(subgraph?.urls ?? [])].flatMap(urlSecrets),
      ...Object.values(subgraph?.headers ?? {}).map((header) => header.reveal()),
    ]),
  ]
  return (text) => redact(text, secrets)
}

function signerSecrets(signer: SignerConfig): string[] {
  if (signer.kind === 'private-key') return [signer.key.reveal(), signer.key.reveal().replace(/^0x/, '')]
  if (signer.kind === 'keystore') return [signer.password.reveal()]
  if (signer.kind === 'web3signer') return Object.values(signer.headers ?? {}).map((header) => header.reveal())
  // The AWS SDK finds its credentials itself. Errors of both kinds contain no text of a server.
  return signer.kind === 'gcp-kms' && signer.credentials ? [signer.credentials.reveal()] : []
}

/** Returns the password as written in the URL, and decoded. */
function databasePasswords(url: string): string[] {
  if (!url.startsWith('postgres') || !URL.canParse(url)) return []
  const { password } = new URL(url)
  return [password, new URLSearchParams(`password=${password.replaceAll('+', '%2B')}`).get('password') ?? '']
}

/** Returns long parts of the path and query, where providers put API keys. */
function urlSecrets(text: string): string[] {
  const { pathname, searchParams } = new URL(text)
  return [...pathname.split('/'), ...searchParams.values()].filter((part) => part.length >= 16)
}
