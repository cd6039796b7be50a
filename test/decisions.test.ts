import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const folder = new URL('../docs/decisions/', import.meta.url)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const names = readdirSync(folder).filter((name) => name !== 'README.md')
const rows = [...read('README.md').matchAll(/^\| (\d{4}) \| \[(.+)\]\(([\w-]+\.md)\) \| (.+) \|$/gm)].map(
  ([, number, title, name = '', status = '']) => ({ number, title, name, status }),
)

test('default: the numbers of the decisions have no gaps', () => {
  expect(names.map((name) => name.slice(0, 5))).toEqual(
    names.map((_, index) => `${String(index + 1).padStart(4, '0')}-`),
  )
})

test('default: the index has each decision with its number and title', () => {
  expect(rows.map(({ name }) => name)).toEqual(names)
  for (const { number, title, name } of rows) {
    expect(name.slice(0, 4)).toBe(number)
    expect(read(name).split('\n')[0]).toBe(`# ${number} ${title}`)
  }
})

test('behavior: a decision is accepted or superseded, in the index as on its page', () => {
  for (const { name, status } of rows) {
    expect(status, name).toMatch(
      /^accepted$|^(?:superseded|accepted, in part superseded) by \[(\d{4})\]\(\1-[\w-]+\.md\)$/,
    )
    const [, onPage = 'accepted'] = /^\*\*Status\.\*\* ([^:\n]+):/m.exec(read(name)) ?? []
    expect(onPage.toLowerCase(), name).toBe(status)
  }
})
