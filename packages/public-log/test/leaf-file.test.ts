import { mkdtemp, open, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMerkleTree, encodeUtf8, leafHash, rootOf } from '@tallystick/tlog'
import { expect, onTestFinished, test } from 'vitest'
import { loadTree } from '../src/leaf-file.ts'
import { openLogJournal } from '../src/log-journal.ts'

// More than a tile, and text that is more than one byte per character.
const lines = Array.from({ length: 1_030 }, (_, index) => `{"n":${index},"by":"Zoë"}`)

function rootOfLines(count: number): Uint8Array {
  const tree = createMerkleTree()
  for (const line of lines.slice(0, count)) tree.append(leafHash(encodeUtf8(line)))
  return rootOf(count, tree.readNode)
}

/** Creates a journal with the first lines, in several writes. */
async function newJournal(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'tallystick-leaves-'))
  onTestFinished(() => rm(directory, { recursive: true, force: true }))
  const path = join(directory, 'journal')
  const journal = await openLogJournal(path)
  await journal.append(lines.slice(0, 255))
  await journal.append(lines.slice(255, 258))
  await journal.append(lines.slice(258))
  await journal.close()
  return path
}

async function reopen(path: string) {
  const journal = await openLogJournal(path)
  const { size, readNode } = journal.tree
  await journal.close()
  return { size, root: rootOf(size, readNode) }
}

/** Writes a byte, and sets the time of change back. */
async function change(path: string, at: number): Promise<void> {
  const { atime, mtime } = await stat(path)
  const handle = await open(path, 'r+')
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, at)
  buffer[0] = (buffer[0] as number) ^ 1
  await handle.write(buffer, 0, 1, at)
  await handle.close()
  await utimes(path, atime, mtime)
}

const whole = { size: lines.length, root: rootOfLines(lines.length) }

test('default: a journal that was not changed is opened from its leaves', async () => {
  const path = await newJournal()
  expect((await loadTree(path))?.tree.size).toBe(lines.length)
  expect(await reopen(path)).toEqual(whole)
  // Opening truncates the journal to its length, which changes its time.
  expect((await loadTree(path))?.tree.size).toBe(lines.length)
})

test('behavior: any changed byte of the leaves is found, and the journal is read', async () => {
  const path = await newJournal()
  const leaves = `${path}.leaves`
  const { size } = await stat(leaves)
  for (const at of [0, 8, 16, 24, 32, 63, 64, 64 + 300 * 32, size - 1]) {
    await change(leaves, at)
    expect(await loadTree(path), `byte ${at}`).toBeUndefined()
    expect(await reopen(path)).toEqual(whole)
    expect((await loadTree(path))?.tree.size).toBe(lines.length)
  }
})

test.each(['missing', 'empty', 'short', 'a directory'])(
  'behavior: with a file of leaves that is %s the journal is read',
  async (fault) => {
    const path = await newJournal()
    const leaves = `${path}.leaves`
    const bytes = await readFile(leaves)
    await rm(leaves)
    if (fault === 'empty') await writeFile(leaves, '')
    if (fault === 'short') await writeFile(leaves, bytes.subarray(0, -1))
    if (fault === 'a directory') await openLogJournal(join(leaves, 'journal')).then((other) => other.close())
    expect(await loadTree(path)).toBeUndefined()
    expect(await reopen(path)).toEqual(whole)
  },
)

test('behavior: lines that a crash kept from the leaves are read', async () => {
  const path = await newJournal()
  const leaves = await readFile(`${path}.leaves`)
  const journal = await openLogJournal(path)
  await journal.append(['{"n":"after"}'])
  await journal.close()
  await writeFile(`${path}.leaves`, leaves)
  expect((await reopen(path)).size).toBe(lines.length + 1)
})

test('error: a line that was changed is damage, although the leaves are whole', async () => {
  const path = await newJournal()
  const handle = await open(path, 'r+')
  await handle.write('x', 200)
  await handle.close()
  await expect(openLogJournal(path)).rejects.toThrow(/^Line \d of the log journal/)
})
