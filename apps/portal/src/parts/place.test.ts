import { expect, test } from 'vitest'
import { hrefOf, parsePlace, replaceOldLink, titleOf } from './place.ts'

const parse = (href: string) => parsePlace(new URL(href, 'https://notes.example'))
const address = '0x529d825EBFeFd66B80aC02609c0Fbd9EaaDD6781'

test.each([
  ['/', 'overview', undefined, 'Notes on offer · Tallystick'],
  ['/lend?chainid=324&maturity=7', 'lend', undefined, 'Lend · Tallystick'],
  ['/history?days=7', 'history', undefined, 'History · Tallystick'],
  ['/wallet', 'wallet', undefined, 'Wallet · Tallystick'],
  ['/wallet/', 'wallet', undefined, 'Wallet · Tallystick'],
  [`/wallet/${address}`, 'wallet', address, 'Wallet 0x529d…6781 · Tallystick'],
  ['/wallet/name.eth', 'wallet', 'name.eth', 'Wallet name.eth · Tallystick'],
  ['/wallet/a-long-name.of.eth', 'wallet', 'a-long-name.of.eth', 'Wallet a-long-name.of.eth · Tallystick'],
  ['/verify', 'verify', undefined, 'Verify a note · Tallystick'],
  ['/explorer?query=%7Ba%7D', 'explorer', undefined, 'Query explorer · Tallystick'],
  ['/docs', 'docs', undefined, 'Docs · Tallystick'],
  ['/docs/going-live', 'docs', 'going-live', 'Going live · Docs · Tallystick'],
])('default: %s is a view with a title', (href, view, segment, title) => {
  const place = parse(href)
  expect(place).toMatchObject({ view, search: new URL(href, 'https://notes.example').searchParams })
  expect(place?.segment).toBe(segment)
  expect(place && titleOf(place)).toBe(title)
})

test.each([
  ['/wallet/<script>alert(1)</script>'.replace('</', '<%2F'), '<script>alert(1)</script>'],
  ['/wallet/%00', '\0'],
  ['/wallet/%', '%'],
  ['/wallet/%E2%80%AEhte.eman', '\u202Ehte.eman'],
  ['/wallet/__proto__', '__proto__'],
  [`/wallet/${'a'.repeat(5_000)}`, 'a'.repeat(5_000)],
])('error: the title never shows a segment that is no owner: %s', (href, segment) => {
  const place = parse(href)
  expect(place?.segment).toBe(segment)
  expect(place && titleOf(place)).toBe('Wallet · Tallystick')
})

test.each([
  '/overview',
  '/wallet/a/b',
  '/history/notes',
  '/verify/a',
  '/Wallet',
  '/constructor',
  '//',
  '/openapi.json',
])('error: %s is no view', (pathname) => {
  expect(parsePlace({ pathname, search: '' })).toBeUndefined()
})

test('behavior: a segment is encoded, and read as it was', () => {
  for (const segment of ['name.eth', 'a/b', '?#', '%00', '\0', '..', '\u202E']) {
    expect(parsePlace({ pathname: hrefOf('wallet', segment), search: '' })?.segment).toBe(segment)
  }
  expect(hrefOf('overview')).toBe('/')
})

test.each([
  ['#/', '/'],
  ['#/wallet', '/wallet'],
  ['#/history?days=30&chain=324', '/history?days=30&chain=324'],
  ['#//evil.example', undefined],
  ['#/https://evil.example', undefined],
  ['#/docs', undefined],
  ['#section', undefined],
  ['', undefined],
])('behavior: the old link %j leads to %j', (hash, href) => {
  expect(replaceOldLink(hash)).toBe(href)
})
