import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'

/** How many rows the audit had, and the root of the tree of their hashes. */
export type AuditHead = z.infer<typeof headSchema>

const headSchema = z.strictObject({ size: z.int().min(0), root: z.string() })

/** Error of a file that is unreadable or damaged. */
export class AuditHeadError extends Error {
  override readonly name = 'AuditHeadError' as const
}

/** Returns the path of the file in which a replica notes the head of the audit, outside the database. */
export function auditHeadPath({ signer }: { readonly signer: { readonly journal: string } }): string {
  return join(dirname(signer.journal), 'audit-head.json')
}

/** Reads the noted head. Undefined if there is none yet. */
export async function readAuditHead(path: string): Promise<AuditHead | undefined> {
  try {
    return headSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw new AuditHeadError(`${path} cannot be read, or is not what the service writes`, { cause: error })
  }
}

export async function writeAuditHead(path: string, head: AuditHead): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}`
  await writeFile(draft, `${JSON.stringify(head)}\n`, { mode: 0o600, flush: true })
  await rename(draft, path)
}
