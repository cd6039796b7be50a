import { ClientError } from '@tallystick/client'
import { type Explanation, explainError, messageOf } from '../data/explain-error.ts'
import type { Activity } from './activity.ts'
import { findWalletFault, type WalletFault } from './provider/wallet-error.ts'

const faults: Readonly<Record<WalletFault, Explanation>> = {
  rejected: { title: 'You declined in the wallet', text: 'Nothing was sent. You can try again.', isCalm: true },
  busy: {
    title: 'The wallet already asks you something',
    text: 'Open the wallet, answer its request, then try again here.',
  },
  locked: {
    title: 'The wallet is locked or does not share this account',
    text: 'Unlock the wallet, allow this page, then connect again.',
  },
  disconnected: { title: 'The wallet is disconnected', text: 'Check the wallet and its network, then connect again.' },
  unknown_chain: { title: 'The wallet does not know this network', text: '' },
  other_chain: { title: 'Your Safe is on another network', text: '' },
  unsupported: {
    title: 'The wallet cannot do this',
    text: 'It does not support a request that is needed here. Use another wallet.',
  },
  no_gas: {
    title: 'Not enough coins for the network fee',
    text: 'A transaction costs a small fee in the coin of the network. Send some to this account, then try again.',
  },
  no_answer: { title: 'The wallet does not answer', text: 'Open the wallet or reload the page, then try again.' },
}

// Errors whose message is for the visitor.
const titles: Readonly<Record<string, string>> = {
  wrong_chain: 'The wallet is on another network',
  transaction_replaced: 'The transaction was cancelled or replaced in the wallet',
  transaction_dropped: 'The chain does not know the transaction',
  transaction_pending: 'The result of the transaction is not known yet',
  chain_failed: 'The wallet or its network failed',
}

/** Returns whether nothing was sent because the visitor declined. The focus then returns to the button that began it. */
export function isDeclined(activity: Activity<unknown>): boolean {
  return (
    activity.phase === 'failed' && activity.hash === undefined && explainWalletError(activity.error).isCalm === true
  )
}

/** Describes why connecting a wallet, lending or claiming failed. */
export function explainWalletError(error: unknown): Explanation {
  const fault = findWalletFault(error)
  const code = error instanceof ClientError ? error.code : undefined
  if (fault === 'unknown_chain' || fault === 'other_chain') return { ...faults[fault], text: messageOf(error) }
  if (fault && (code === undefined || code === 'chain_failed' || code === 'wallet_rejected')) return faults[fault]
  switch (code) {
    case 'wallet_rejected':
      return faults.rejected
    case 'call_reverted': {
      const { explanation } = error as { readonly explanation?: { readonly title: string } }
      return { title: explanation?.title ?? 'The transaction would fail', text: messageOf(error) }
    }
    case 'transaction_pending': {
      const { hash } = error as { readonly hash?: string }
      if (hash === undefined) return { title: titles[code] as string, text: messageOf(error) }
      return {
        title: 'The transaction is not mined yet',
        text: 'It was sent, and the network has no receipt of it so far. The page keeps watching it: see the transactions at the bottom of the page.',
        isCalm: true,
      }
    }
    case 'income_not_reported':
      return {
        title: 'The claim would lose income',
        text: 'The pool does not have all of the position’s income yet. Nothing was sent for it. Wait for the report, then look the wallet up again.',
        isCalm: true,
      }
    case 'note_not_yet_valid':
      return {
        title: 'The chain is a moment behind',
        text: 'Its next block accepts the note. Try again in a few seconds.',
      }
    default: {
      const title = titles[code ?? '']
      return title === undefined ? explainError(error) : { title, text: messageOf(error) }
    }
  }
}
