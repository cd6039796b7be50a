import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, stat } from 'node:fs/promises'
import { encodeEntry, type JournalEntry } from '@tallystick/issuer'
import { expect, test } from 'vitest'
import { entriesIn, newPath, openAt, writeThree } from './signer-journals.ts'

test('error: a full disk, until space is freed; no partial line remains', async () => {
  const path = await newPath()
  const [first] = await writeThree(path)
  await chmod(path, 0o600)
  const room = (await stat(path)).size + 100
  const answers = await appendWithLimit(path, { room, entry: first as JournalEntry })
  expect(answers).toEqual(['journal_failed', 'journal_failed', 'written'])
  expect(await entriesIn(await openAt(path))).toHaveLength(4)
})

/** Appends thrice in a process that may not write files beyond a size, the third time without that limit. */
async function appendWithLimit(
  path: string,
  { room, entry }: { readonly room: number; readonly entry: JournalEntry },
): Promise<string[]> {
  const built = new URL('../../../../packages/issuer/dist/journal/', import.meta.url).href
  const script = `
    const { openSignerJournal } = await import('${built}signer-journal.js')
    const { decodeEntry } = await import('${built}journal-entry.js')
    const { execFileSync } = await import('node:child_process')
    const limit = (bytes) => execFileSync('prlimit', ['--pid', String(process.pid), '--fsize=' + bytes + ':unlimited'])
    const journal = await openSignerJournal(process.argv[1], { create: true, say: () => undefined })
    const entry = decodeEntry(Buffer.from(process.argv[2], 'base64'))
    const append = () => journal.append(entry).then(() => 'written', (error) => error.reason)
    limit(${room})
    const answers = [await append(), await append()]
    limit('unlimited')
    console.log(JSON.stringify([...answers, await append()]))
    await journal.close()`
  const line = encodeEntry(entry).subarray(0, -1).toString('base64')
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, path, line], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let said = ''
  child.stdout.on('data', (chunk) => {
    said += chunk
  })
  await once(child, 'close')
  return JSON.parse(said)
}
