import type { PortalInfo, TestWalletInfo } from '@tallystick/core'
import type { QuietStorage } from '@tallystick/ui'
import { render } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { announceTestWallet, createTestWallet, type WalletPrompt } from './provider/test-wallet.ts'

// The storage comes from outside: this file must share nothing but Preact with the page, or the page's code is split badly.
type StartOptions = Pick<PortalInfo, 'chains'> & { readonly storage: QuietStorage }

/** Adds the sandbox's wallet to the page. It asks in a dialog of its own, as an extension does in a window of its own. */
export function startTestWallet(info: TestWalletInfo, { chains, storage }: StartOptions): void {
  const place = document.createElement('div')
  document.body.append(place)
  // One at a time: a second request waits until the first is answered.
  let last: Promise<unknown> = Promise.resolve()
  const show = (prompt: WalletPrompt) =>
    new Promise<boolean>((resolve) => {
      const onAnswer = (isConfirmed: boolean) => {
        render(null, place)
        resolve(isConfirmed)
      }
      render(<Prompt prompt={prompt} onAnswer={onAnswer} />, place)
    })
  const confirm = (prompt: WalletPrompt) => {
    // An extension takes a moment to open its window. The dialog gives the focus back to what has it then.
    const answer = last.then(nextTask).then(() => show(prompt))
    last = answer
    return answer
  }
  announceTestWallet(window, createTestWallet({ info, chains, confirm, post, storage }))
}

function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve))
}

async function post(path: string, body: string): Promise<unknown> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(path, { method: 'POST', headers, body })
  if (response.ok) return response.json()
  throw new Error(`The sandbox responded with status ${response.status}.`)
}

function Prompt({
  prompt: { title, facts, confirmLabel },
  onAnswer,
}: {
  readonly prompt: WalletPrompt
  readonly onAnswer: (isConfirmed: boolean) => void
}) {
  const dialog = useRef<HTMLDialogElement>(null)
  useLayoutEffect(() => {
    const element = dialog.current as HTMLDialogElement
    element.showModal()
    return () => element.close()
  }, [])
  return (
    <dialog
      ref={dialog}
      class="dialog wallet-dialog"
      aria-labelledby="wallet-dialog-title"
      onCancel={(event) => {
        event.preventDefault()
        onAnswer(false)
      }}
    >
      <p class="spread hint wallet-dialog-name">
        <strong>Sandbox wallet</strong> <span>test dollars, worth nothing</span>
      </p>
      <h2 id="wallet-dialog-title">{title}</h2>
      <dl class="grid">
        {facts.map(([name, value]) => (
          <div key={name}>
            <dt class="muted">{name}</dt>
            <dd class={value.startsWith('0x') ? 'anywhere mono' : 'anywhere'}>{value}</dd>
          </div>
        ))}
      </dl>
      <div>
        <button type="button" class="quiet" onClick={() => onAnswer(false)}>
          Reject
        </button>
        <button type="button" class="primary" autofocus onClick={() => onAnswer(true)}>
          {confirmLabel}
        </button>
      </div>
    </dialog>
  )
}
