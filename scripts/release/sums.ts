import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Name under which releases are signed, so that a signature of something else is none of a release. */
const namespace = 'tallystick-release'
/** Name of the signer in `allowed_signers`. */
const identity = 'release@tallystick'

/** Writes `SHA256SUMS` of all files of a directory, for `sha256sum --check`. */
export function writeSums(target: string): void {
  const names = readdirSync(target).sort()
  const lines = names.map(
    (name) =>
      `${createHash('sha256')
        .update(readFileSync(join(target, name)))
        .digest('hex')}  ${name}\n`,
  )
  writeFileSync(join(target, 'SHA256SUMS'), lines.join(''))
}

/**
 * Signs `SHA256SUMS` with an SSH key, and verifies the signature as a user does. Throws if `allowed_signers` does not have the
 * key: nobody could verify the release.
 */
export function signSums(target: string, { key, allowedSigners }: { key: string; allowedSigners: string }): void {
  const sums = join(target, 'SHA256SUMS')
  execFileSync('ssh-keygen', ['-Y', 'sign', '-f', key, '-n', namespace, sums], { stdio: ['ignore', 'ignore', 'pipe'] })
  const verify = ['-Y', 'verify', '-f', allowedSigners, '-I', identity, '-n', namespace, '-s', `${sums}.sig`]
  try {
    execFileSync('ssh-keygen', verify, { input: readFileSync(sums), stdio: ['pipe', 'ignore', 'pipe'] })
  } catch (cause) {
    throw new Error(
      `allowed_signers does not have the key that signed the release. Add a line "${identity} namespaces="${namespace}" <public key>" and commit it.`,
      { cause },
    )
  }
}
