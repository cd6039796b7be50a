import { existsSync } from 'node:fs'
import { TallystickError } from '@tallystick/core'
import { type Config, listAdminTokens, loadConfig } from '@tallystick/service'
import type { Findings } from './findings.ts'

const adminTokenLengthMin = 16

type ConfigSource = { readonly path: string; readonly env: Readonly<Record<string, string | undefined>> }

/**
 * Reads the configuration like `serve` and lists every fault. If only secrets or files are missing, returns the rest, so
 * that the other checks can run.
 */
export function checkConfig(findings: Findings, { path, env }: ConfigSource): Config | undefined {
  try {
    const config = loadConfig(path, { env, secrets: 'required' })
    const chains = config.chains.map(({ id, name }) => `${id} (${name})`).join(', ')
    const signers = [...new Set(config.chains.map(({ signer }) => signer.kind))].join(' and ')
    findings.ok('file', `${path} is valid: chain ${chains}, ${config.tenors.length} tenors, ${signers} signer`)
    checkChoices(findings, config)
    return config
  } catch (error) {
    for (const { name, message } of faultsOf(error)) {
      const member = name === 'file' ? path : `${name} in ${path}`
      const advice = existsSync(path)
        ? `Correct ${member}; docs/configuration.md describes every member.`
        : 'Run `tallystick init`, then this command again.'
      findings.fail(name, message, advice)
    }
    return loadWithoutSecrets({ path, env })
  }
}

function faultsOf(error: unknown): readonly { readonly name: string; readonly message: string }[] {
  if (!(error instanceof TallystickError)) throw error
  const faults = error.details?.['faults'] as readonly { readonly path: string; readonly message: string }[] | undefined
  if (!faults) return [{ name: 'file', message: error.message }]
  return faults.map(({ path, message }) => ({ name: path, message }))
}

function loadWithoutSecrets({ path, env }: ConfigSource): Config | undefined {
  try {
    return loadConfig(path, { env, secrets: 'optional' })
  } catch {
    return undefined
  }
}

/** Warns about valid but risky settings. */
function checkChoices(findings: Findings, { admin, rails, chains }: Config): void {
  if (!/^(localhost|::1|127\..*)$/.test(admin.host)) {
    const found = `the admin listener is plain HTTP on ${admin.host}, not on loopback: its token is sent unencrypted`
    findings.warn('admin.host', found, 'Set admin.host to 127.0.0.1 unless the network is private.')
  }
  for (const { name, token } of listAdminTokens(admin)) {
    if (token.reveal().length >= adminTokenLengthMin) continue
    const found = `the token "${name}" has fewer than ${adminTokenLengthMin} characters and can be guessed`
    findings.warn('admin tokens', found, 'Generate one with `openssl rand -hex 32`.')
  }
  if (rails.preflight === 'off' && chains.some(({ rpc }) => rpc.length > 0)) {
    const advice = 'Set rails.preflight to "warn" or "require".'
    findings.warn('rails.preflight', 'notes are published without a preflight', advice)
  }
}
