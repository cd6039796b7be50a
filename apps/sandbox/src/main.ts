import { writeFileSync } from 'node:fs'
import { createClock, openServiceDatabase, parseConfig, startService, stopOnSignal } from '@tallystick/api'
import { TallystickError } from '@tallystick/core'
import { findFreePort } from '@tallystick/workbench/free-port'
import pino from 'pino'
import { privateKeyToAddress } from 'viem/accounts'
import { describeHome, emptyHome, furnishHome, type Home, readText, writeSecret } from './home.ts'
import { parseOptions, type SandboxOptions } from './options.ts'
import { prepareDatabase } from './prepare-database.ts'

// There is no chain in the sandbox yet, so the pool is an address that notes are signed for and nothing more.
const chain = { id: 324, name: 'zkSync Era (sandbox)', pool: '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781' }

async function run(options: SandboxOptions): Promise<void> {
  const home = describeHome(options.dir)
  const clock = createClock()
  if (options.at !== undefined) clock.hold(options.at)
  say(
    `Tallystick sandbox in ${home.dir}${options.at === undefined ? '' : `, at ${new Date(options.at).toISOString()}`}`,
  )
  if (options.fresh) {
    await assertNotInUse(home)
    emptyHome(home)
  }
  furnishHome(home)
  const settings = await makeSettings(home, options)
  const config = parseConfig(settings, { path: home.config, env: {}, secrets: 'required', baseDirectory: home.dir })
  // Fails if a sandbox runs here already: until then nothing of its files is touched.
  const apiKey = await prepareDatabase(home, { config, clock, say })
  writeFileSync(home.config, `${JSON.stringify(settings, undefined, 2)}\n`)
  const log = pino({ base: null }, pino.destination({ dest: home.log, sync: true }))
  const service = await startService({ config, clock, log, say })
  writeCredentials(home, { apiKey, ...service })
  stopOnSignal(service, { say })
  // A reader who copies the line while the clock stood still would find it standing: it runs from `ready` on.
  clock.run()
  say(welcome(home, { apiKey, baseUrl: service.baseUrl }))
  say(`ready ${service.baseUrl}`)
}

/** A configuration that `tallystick --config` can be pointed at too. */
async function makeSettings(home: Home, { port }: SandboxOptions): Promise<object> {
  return {
    listen: { host: 'localhost', port, tls: home.tls },
    admin: { host: '127.0.0.1', port: await findFreePort(), token: `file:${home.adminToken}` },
    database: `file:${home.database}`,
    signer: { kind: 'private-key', key: `file:${home.signerKey}` },
    chains: [chain],
  }
}

function writeCredentials(
  home: Home,
  { apiKey, baseUrl, adminUrl }: { readonly apiKey: string; readonly baseUrl: string; readonly adminUrl: string },
): void {
  const credentials = {
    baseUrl,
    apiKey,
    caCert: home.caCert,
    adminUrl,
    adminToken: readText(home.adminToken),
    chains: [
      {
        id: chain.id,
        rpcUrl: null,
        pool: chain.pool,
        positions: null,
        token: null,
        signer: privateKeyToAddress(readText(home.signerKey) as `0x${string}`),
        subgraphUrl: null,
      },
    ],
    wallets: [],
  }
  writeSecret(home.credentials, `${JSON.stringify(credentials, undefined, 2)}\n`)
}

function welcome(home: Home, { apiKey, baseUrl }: { readonly apiKey: string; readonly baseUrl: string }): string {
  return `
  base URL     ${baseUrl}
  API key      ${apiKey}
  credentials  ${home.credentials}
  log          ${home.log}

Try it:

  curl --cacert '${home.caCert}' -H 'x-api-key: ${apiKey}' ${baseUrl}/notes

The operator's command line works beside it:

  npx tallystick notes show --config '${home.config}'

Ctrl-C stops it.
`
}

/** The lock of the embedded database tells whether a sandbox runs here; a database that cannot be opened is no sandbox. */
async function assertNotInUse(home: Home): Promise<void> {
  try {
    const database = await openServiceDatabase(`file:${home.database}`, () => undefined)
    await database.close()
  } catch (error) {
    if (error instanceof TallystickError && error.code === 'database_in_use') throw error
  }
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

try {
  await run(parseOptions(process.argv))
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
  process.exit(1)
}
