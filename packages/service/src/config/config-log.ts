import { parseLogKey } from '@tallystick/public-log'
import { isOrigin } from '@tallystick/tlog'
import { z } from 'zod'
import type { ConfigFields, ConfigSources } from './config-secrets.ts'

/** Returns the schema of the public log. Without it, nobody can check afterwards what the service signed. */
export function logSchema(sources: ConfigSources, { path, secret }: ConfigFields) {
  return z
    .strictObject({
      /** Name of the log and of its key, such as "notes.example/log". It never changes. */
      origin: z.string().refine(isOrigin, 'must be a name such as "notes.example/log", without spaces and plus signs'),
      key: secret,
      /** File of the entries that this replica published, so that it notices a restored database. */
      journal: path.prefault('.tallystick/log-journal.jsonl'),
      /** Directory of a copy of the log as files. */
      mirror: path.optional(),
      /** Why the signer changes. It is logged with the next change. */
      signerReason: z.string().min(1).max(500).optional(),
    })
    .superRefine(({ origin, key }, context) => {
      if (sources.secrets !== 'required') return
      const name = parseLogKey(key.reveal())?.verifier.name
      if (name === origin) return
      const message =
        name === undefined
          ? 'is not the key of a log. `tallystick log init` creates one'
          : `is the key of the log ${name}, not of ${origin}`
      context.addIssue({ code: 'custom', path: ['key'], message })
    })
    .optional()
}
