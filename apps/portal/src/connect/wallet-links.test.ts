import { expect, test } from 'vitest'
import { listWalletLinks } from './wallet-links.ts'

test('default: each wallet opens the same page with its choices', () => {
  expect(listWalletLinks('https://notes.example:8443/lend?chainid=324&maturity=7&amount=2500.50')).toEqual([
    {
      name: 'MetaMask',
      href: 'https://link.metamask.io/dapp/notes.example:8443/lend?chainid=324&maturity=7&amount=2500.50',
    },
    {
      name: 'Coinbase Wallet',
      href: 'https://go.cb-w.com/dapp?cb_url=https%3A%2F%2Fnotes.example%3A8443%2Flend%3Fchainid%3D324%26maturity%3D7%26amount%3D2500.50',
    },
    {
      name: 'Trust Wallet',
      href: 'https://link.trustwallet.com/open_url?coin_id=60&url=https%3A%2F%2Fnotes.example%3A8443%2Flend%3Fchainid%3D324%26maturity%3D7%26amount%3D2500.50',
    },
  ])
})

test.each([
  'https://user:word@notes.example/lend?apiKey=abc&x-api-key=abc&visitor_token=abc&maturity=7#tsk_live_abc',
  'https://notes.example/lend?maturity=7&q=tsk_test_abc&SECRET=abc',
])('behavior: nothing secret of %s is in a link', (url) => {
  for (const { href } of listWalletLinks(url)) {
    expect(decodeURIComponent(href)).toMatch(/notes\.example\/lend\?maturity=7$/)
  }
})

test('error: a path cannot leave the link', () => {
  for (const { href } of listWalletLinks('https://notes.example/wallet/..%2f%2e%2e?a=%26url%3Dhttps://evil.example')) {
    const { hostname, searchParams } = new URL(href)
    expect(['link.metamask.io', 'go.cb-w.com', 'link.trustwallet.com']).toContain(hostname)
    expect([...searchParams].filter(([, value]) => value.startsWith('https://evil'))).toEqual([])
  }
})
