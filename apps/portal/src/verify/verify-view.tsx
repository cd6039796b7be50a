import { type Note, noteStatus, verifyNote } from '@tallystick/client'
import type { PortalChain, PortalInfo } from '@tallystick/core'
import { parseVerifierKey } from '@tallystick/tlog'
import { Button, Notice, quietStorage, withoutReload } from '@tallystick/ui'
import { useState } from 'preact/hooks'
import type { NotesView } from '../data/use-notes.ts'
import { ViewHead } from '../parts/view-head.tsx'
import type { LogCheck } from './check-log.ts'
import type { Judgement } from './conclude.ts'
import { PasteError, parsePastedNotes } from './parse-pasted-notes.ts'
import { useLogChecks } from './use-log-checks.ts'
import { Verdict } from './verdict.tsx'

type Outcome = {
  /** The text that was judged. */
  readonly text?: string
  readonly judgements: readonly Judgement[]
  readonly fault?: string
}

const nothing: Outcome = { judgements: [] }

/** Renders the verification of pasted notes. It runs in the page, which sends no note. */
export function VerifyView({ info, notes }: { readonly info: PortalInfo; readonly notes: NotesView | undefined }) {
  const [text, setText] = useState('')
  const [judged, setJudged] = useState(nothing)
  // A verdict on another text than the one in the field would be taken for one on this.
  const outcome = judged.text === text ? judged : nothing
  const logKey = useLogKey()
  const { checks, alarm, forget } = useLogChecks(outcome.judgements, logKey.key)
  const now = () => BigInt(Math.floor((Date.now() + (notes?.serverOffsetMs ?? 0)) / 1000))
  const verify = (pasted: string) => {
    judgeAll(pasted, { info, now: now() }).then(setJudged, (error: unknown) => {
      if (!(error instanceof PasteError)) throw error
      setJudged({ text: pasted, judgements: [], fault: error.message })
    })
  }
  const sample = notes?.notes[0]?.raw
  return (
    <>
      <ViewHead view="verify">
        Check who signed a note, whether it is still valid, and whether everybody can see it in the public log. The
        check runs in this tab. The note is not sent, only its chain and period, to find it in the log.
      </ViewHead>
      <form class="card verify-form below" onSubmit={withoutReload(() => verify(text))}>
        <label class="field-label" for="pasted">
          A note, or a response of /notes
        </label>
        <textarea
          id="pasted"
          class="mono"
          rows={14}
          spellcheck={false}
          value={text}
          onInput={(event) => setText(event.currentTarget.value)}
          placeholder={'{ "maturity_timestamp": "…", "coupon": "…", … }'}
        />
        <div class="row actions">
          <Button type="submit" class="primary" label="Verify" />
          {sample ? (
            <Button
              label="Use a current note"
              onClick={() => {
                const example = JSON.stringify(sample, undefined, 2)
                setText(example)
                verify(example)
              }}
            />
          ) : null}
        </div>
        <LogKeyField {...logKey} />
      </form>
      <div class="stack">
        {outcome.fault ? <Notice tone="warn" title="The text is not a valid note" text={outcome.fault} /> : null}
        {alarm ? <LogAlarm check={alarm} onForget={forget} /> : null}
        <Verdict
          info={info}
          notes={outcome.judgements.map((judgement) => ({ judgement, logCheck: checks?.get(judgement.note) }))}
        />
      </div>
    </>
  )
}

async function judgeAll(
  text: string,
  { info, now }: { readonly info: PortalInfo; readonly now: bigint },
): Promise<Outcome> {
  const notes = parsePastedNotes(text)
  return { text, judgements: await Promise.all(notes.map((note) => judgeNote(note, { chains: info.chains, now }))) }
}

async function judgeNote(
  note: Note,
  { chains, now }: { readonly chains: readonly PortalChain[]; readonly now: bigint },
): Promise<Judgement> {
  const chain = chains.find(({ id }) => id === note.chainId)
  return {
    note,
    chain,
    verification: chain && (await verifyNote(note, chain)),
    status: noteStatus(note, now),
    isMature: now >= note.maturityTimestamp,
  }
}

const storageKey = 'tallystick-log-key'

/** Returns the verifier key that the visitor pasted, its fault, and a function that changes it. */
function useLogKey() {
  const [text, setText] = useState(() => quietStorage.getItem(storageKey) ?? '')
  const isValid = text === '' || parseVerifierKey(text) !== undefined
  const change = (next: string) => {
    const trimmed = next.trim()
    setText(trimmed)
    if (trimmed === '' || parseVerifierKey(trimmed)) quietStorage.setItem(storageKey, trimmed)
  }
  return { text, isValid, key: isValid && text !== '' ? text : undefined, change }
}

/** Renders the field for the verifier key of the log. */
function LogKeyField({ text, isValid, change }: ReturnType<typeof useLogKey>) {
  return (
    <details class="log-key">
      <summary>Key of the public log: {text !== '' && isValid ? 'yours' : 'as this service shows it'}</summary>
      <label class="field-label" for="log-key">
        Verifier key from elsewhere
      </label>
      <input
        id="log-key"
        class="mono"
        value={text}
        onInput={(event) => change(event.currentTarget.value)}
        placeholder="notes.example/log+…+…"
        autocomplete="off"
        spellcheck={false}
        aria-invalid={!isValid}
        aria-describedby="log-key-hint"
      />
      <p id="log-key-hint" class={isValid ? 'hint' : 'field-fault'}>
        {isValid
          ? 'With a key that comes from the service itself, the check shows only that the log is consistent with what this browser saw before. Paste the key that the operator published elsewhere, to be sure that it is the log everybody sees.'
          : 'This is not a verifier key, or it was copied incompletely. It has the form <origin>+<8 hex digits>+<base64>.'}
      </p>
    </details>
  )
}

type LogAlarmProps = {
  readonly check: Extract<LogCheck, { readonly status: 'untrusted' }>
  readonly onForget: () => void
}

/** Renders why the log cannot be trusted, with the checkpoints that prove it. */
function LogAlarm({ check: { text, evidence }, onForget }: LogAlarmProps) {
  return (
    <Notice tone="bad" title="The public log cannot be trusted">
      <p>{text}</p>
      {evidence.length > 0 ? (
        <details>
          <summary>Both checkpoints</summary>
          {evidence.map((checkpoint) => (
            <pre key={checkpoint} class="mono">
              {checkpoint}
            </pre>
          ))}
        </details>
      ) : null}
      <p>
        If the operator has announced a new log or a new key,{' '}
        <Button class="chip" label="forget the old one" onClick={onForget} />
      </p>
    </Notice>
  )
}
