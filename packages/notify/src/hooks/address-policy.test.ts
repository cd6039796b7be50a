import { describe, expect, test } from 'vitest'
import { AddressRefusedError, createAddressPolicy, findSpecialKind, findUrlFault } from './address-policy.ts'

const strict = createAddressPolicy({ allowPrivate: [] })
const open = createAddressPolicy({ allowPrivate: ['10.1.0.0/16', '::1'] })

test.each([
  ['0.0.0.0', 'unspecified'],
  ['0.255.255.255', 'unspecified'],
  ['10.0.0.0', 'private'],
  ['10.255.255.255', 'private'],
  ['100.64.0.0', 'shared'],
  ['100.127.255.255', 'shared'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.255', 'loopback'],
  ['169.254.169.254', 'link-local'],
  ['172.16.0.0', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.8', 'reserved'],
  ['192.168.255.255', 'private'],
  ['198.19.255.255', 'benchmarking'],
  ['224.0.0.1', 'multicast'],
  ['239.255.255.255', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'reserved'],
  ['::', 'reserved'],
  ['::1', 'loopback'],
  ['::127.0.0.1', 'reserved'],
  ['::ffff:127.0.0.1', 'IPv4-mapped'],
  ['::ffff:7f00:1', 'IPv4-mapped'],
  ['::ffff:8.8.8.8', 'IPv4-mapped'],
  ['64:ff9b::a00:5', 'NAT64'],
  ['64:ff9b:1::1', 'NAT64'],
  ['100::1', 'reserved'],
  ['2001::1', 'reserved'],
  ['2001:db8::1', 'documentation'],
  ['2002:7f00:1::', '6to4'],
  ['fc00::1', 'private'],
  ['fd00:ec2::254', 'private'],
  ['fe80::1', 'link-local'],
  ['fe80::1%eth0', 'link-local'],
  ['fec0::1', 'reserved'],
  ['ff02::1', 'multicast'],
  ['localhost', 'not an IP address'],
  ['', 'not an IP address'],
])('error: %s is refused as %s', (address, kind) => {
  expect(findSpecialKind(address)).toContain(kind)
  expect(() => strict.assertAllowed(address, { isEncrypted: true })).toThrow(AddressRefusedError)
})

test.each([
  '1.1.1.1',
  '9.255.255.255',
  '11.0.0.0',
  '100.63.255.255',
  '100.128.0.0',
  '126.255.255.255',
  '128.0.0.1',
  '169.253.255.255',
  '172.15.255.255',
  '172.32.0.0',
  '192.167.255.255',
  '192.169.0.0',
  '223.255.255.255',
  '2606:4700::1111',
  '2a00::1',
  '2001:4860:4860::8888',
])('default: %s is public', (address) => {
  expect(findSpecialKind(address)).toBeUndefined()
  expect(() => strict.assertAllowed(address, { isEncrypted: true })).not.toThrow()
})

test('behavior: an allowed network is exactly as large as configured, and may be plain HTTP', () => {
  for (const address of ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', '::1']) {
    expect(() => open.assertAllowed(address, { isEncrypted: false })).not.toThrow()
  }
  for (const address of ['10.0.255.255', '10.2.0.0', '::2', '169.254.169.254']) {
    expect(() => open.assertAllowed(address, { isEncrypted: true })).toThrow(AddressRefusedError)
  }
  expect(() => open.assertAllowed('1.1.1.1', { isEncrypted: false })).toThrow('plain http is only for networks')
})

test('behavior: the refusal of a name says to which address it resolves', () => {
  expect(() => strict.assertAllowed('10.0.0.5', { name: 'a.example', isEncrypted: true })).toThrow(
    'the name a.example resolves to 10.0.0.5, a private address; webhooks are sent to public addresses only. If the receiver is there on purpose, add its network to hooks.allowPrivate in the configuration',
  )
})

describe('URLs', () => {
  test.each([
    ['https://receiver.example/hooks?token=abc', undefined],
    ['https://receiver.example:8443/', undefined],
    ['https://1.1.1.1/', undefined],
    ['https://[2606:4700::1111]/', undefined],
    ['', /must be a URL/],
    ['receiver.example', /must be a URL/],
    ['http://receiver.example/', /must be an https URL/],
    ['ftp://receiver.example/', /must be an https URL/],
    ['file:///etc/passwd', /must be an https URL/],
    ['https://user@receiver.example/', /user name or password/],
    ['https://:secret@receiver.example/', /user name or password/],
    ['https://receiver.example/#part', /fragment/],
    [`https://receiver.example/${'a'.repeat(2_000)}`, /at most 2000/],
    ['https://127.0.0.1/', /127\.0\.0\.1 is a loopback address/],
    ['https://2130706433/', /127\.0\.0\.1 is a loopback address/],
    ['https://0x7f.1/', /127\.0\.0\.1 is a loopback address/],
    ['https://0177.0.0.1/', /127\.0\.0\.1 is a loopback address/],
    ['https://127.1/', /127\.0\.0\.1 is a loopback address/],
    ['https://①②⑦.0.0.1/', /127\.0\.0\.1 is a loopback address/],
    ['https://0/', /0\.0\.0\.0 is an unspecified address/],
    ['https://169.254.169.254/latest/meta-data', /link-local/],
    ['https://[::1]/', /::1 is a loopback address/],
    ['https://[::ffff:127.0.0.1]/', /IPv4-mapped/],
    ['https://[fe80::1%25eth0]/', /must be a URL/],
  ])('%s', (url, fault) => {
    const found = findUrlFault(url, strict)
    if (fault === undefined) expect(found).toBeUndefined()
    else expect(found).toMatch(fault)
  })

  test('behavior: plain HTTP is accepted where networks are allowed, for names and for addresses in them', () => {
    expect(findUrlFault('http://receiver.internal/', open)).toBeUndefined()
    expect(findUrlFault('http://10.1.2.3:8080/', open)).toBeUndefined()
    expect(findUrlFault('http://1.1.1.1/', open)).toMatch(/plain http/)
    expect(findUrlFault('http://10.2.0.1/', open)).toMatch(/private/)
  })

  test('behavior: a fault never quotes the URL', () => {
    for (const url of ['http://a.example/t0ken', 'https://u:t0ken@a.example/', 'https://10.0.0.1/t0ken']) {
      expect(findUrlFault(url, strict)).not.toContain('t0ken')
    }
  })
})
