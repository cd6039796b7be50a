/** Link that opens a page in the browser of a wallet on a phone. */
export type WalletLink = { readonly name: string; readonly href: string }

// Neither is part of a link of the page. Somebody who puts one there must not pass it on to a wallet's maker.
const secretNames = /key|token|secret/i
const secretValues = /^tsk_/i

/**
 * Returns the links that open a page, with its choices, in the browser of a wallet. The forms are those that the makers of the
 * wallets document. Each wallet offers to install itself if it is missing.
 *
 * @example
 * listWalletLinks('https://notes.example/lend?maturity=7')[0].href // 'https://link.metamask.io/dapp/notes.example/lend?maturity=7'
 */
export function listWalletLinks(pageUrl: string): readonly WalletLink[] {
  const { host, pathname, searchParams, protocol } = new URL(pageUrl)
  const choices = [...searchParams].filter(([name, value]) => !secretNames.test(name) && !secretValues.test(value))
  const search = choices.length === 0 ? '' : `?${new URLSearchParams(choices)}`
  const place = `${host}${pathname}${search}`
  const url = encodeURIComponent(`${protocol}//${place}`)
  return [
    // MetaMask takes the rest of the path as it is, and adds https.
    { name: 'MetaMask', href: `https://link.metamask.io/dapp/${place}` },
    { name: 'Coinbase Wallet', href: `https://go.cb-w.com/dapp?cb_url=${url}` },
    // 60 is Ethereum (SLIP-44), which stands for every EVM chain.
    { name: 'Trust Wallet', href: `https://link.trustwallet.com/open_url?coin_id=60&url=${url}` },
  ]
}
