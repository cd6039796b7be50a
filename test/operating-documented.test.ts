import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { refusalReasons } from '../packages/issuer/src/refusal.ts'
import { signerFailures } from '../packages/issuer/src/signers/signer.ts'
import { countConnections } from '../packages/service/src/database/service-database.ts'
import { metricHelp as help } from '../packages/service/src/metric-help.ts'

const folder = new URL('../docs/operating/', import.meta.url)
const names = readdirSync(folder)
const read = (name: string) => readFileSync(new URL(name, folder), 'utf8')
const text = names.map(read).join('\n')

const expressions = [...read('alerts.md').matchAll(/^\|[^|]+\| (`.*) \|[^|]+\|$/gm)].flatMap(([, cell]) =>
  [...(cell as string).matchAll(/`([^`]+)`/g)].map(([, expression]) => expression as string),
)

/** Returns the metric families of an expression. The series of a histogram are one family. */
function familiesOf(expression: string): string[] {
  const names = expression.match(/tallystick_\w+/g) ?? []
  return [...new Set(names.map((name) => name.replace(/_(bucket|sum|count)$/, '')))]
}

test('default: every metric in the guide exists', () => {
  const names = familiesOf(text)
  expect(names.length).toBeGreaterThan(10)
  expect(names.filter((name) => !Object.hasOwn(help, name))).toEqual([])
})

test('default: every alarm metric has an alert', () => {
  const alarms = Object.entries(help).flatMap(([name, words]) => (words.startsWith('ALARM') ? [name] : []))
  const alerted = expressions.flatMap(familiesOf)
  expect(alarms.length).toBeGreaterThan(3)
  expect(alarms.filter((name) => !alerted.includes(name))).toEqual([])
})

// Prometheus joins two families by equal labels. The labels of these families differ, so such an alert would never fire.
test('behavior: an alert on two metrics names the label that joins them', () => {
  const joined = expressions.filter((expression) => familiesOf(expression).length > 1)
  expect(joined).not.toEqual([])
  for (const expression of joined) expect(expression).toMatch(/ (and|or|unless) on ?\(instance\) /)
})

describe('behavior: every reason why notes are not signed is explained', () => {
  const section = read('incidents.md') + read('refusals.md')
  test.each([...refusalReasons, ...signerFailures])('%s', (reason) => {
    expect(section).toContain(`\`${reason}\``)
  })
})

test('behavior: the guide lists each of its pages once', () => {
  const index = readFileSync(new URL('../docs/operating.md', import.meta.url), 'utf8')
  const listed = [...index.matchAll(/\]\(operating\/([\w-]+\.md)\)/g)].map(([, name]) => name as string)
  expect(listed.toSorted()).toEqual(names)
})

test('behavior: the connections of a replica are those that it may open', () => {
  const [, withIndex, without] = /embedded subgraph holds up to (\d+) [^\n]*? holds up to (\d+)\./.exec(text) ?? []
  const chain = (subgraph: object | undefined) =>
    [{ subgraph }] as unknown as Parameters<typeof countConnections>[0]['chains']
  expect(Number(withIndex)).toBe(countConnections({ chains: chain({ embedded: {} }) }))
  expect(Number(without)).toBe(countConnections({ chains: chain(undefined) }))
})
