import type { PortalInfo } from '@tallystick/core'
import { formatRate, Icon, Instant, toneIcons } from '@tallystick/ui'
import { type CheckedNote, type Conclusion, conclude, concludeAll } from './conclude.ts'
import { NoteFacts } from './note-facts.tsx'

type VerdictProps = { readonly notes: readonly CheckedNote[]; readonly info: PortalInfo }

/** Renders the one verdict on all notes, and below it, folded, the verdict on each with its facts. */
export function Verdict({ notes, info }: VerdictProps) {
  const chainIds = info.chains.map(({ id }) => id)
  const [only, another] = notes
  if (!only) return null
  const whole = another ? concludeAll(notes, chainIds) : conclude(only, chainIds)
  return (
    <article class={`card verdict tone-${whole.tone}`}>
      <Headline {...whole} />
      {another ? (
        <details class="verdict-all" open={whole.tone === 'bad'}>
          <summary class="soft">All {notes.length} notes</summary>
          <ol class="verdict-notes ruled-top">
            {notes.map((checked, index) => (
              <li key={index}>
                <FoldedNote {...{ checked, number: index + 1, conclusion: conclude(checked, chainIds) }} />
              </li>
            ))}
          </ol>
        </details>
      ) : (
        <NoteFacts {...only} />
      )}
    </article>
  )
}

/** Only this part is announced: the facts of many notes would be read for minutes. */
function Headline({ tone, title, text }: Conclusion) {
  return (
    <header class="flex" aria-live="polite">
      <span class="verdict-mark grid">
        <Icon name={toneIcons[tone]} />
      </span>
      <div>
        <h2>{title}</h2>
        <p class="soft">{text}</p>
      </div>
    </header>
  )
}

type FoldedNoteProps = {
  readonly checked: CheckedNote
  readonly number: number
  readonly conclusion: Conclusion
}

function FoldedNote({ checked, number, conclusion: { tone, title, text } }: FoldedNoteProps) {
  const { note, chain } = checked.judgement
  return (
    <details class={`verdict-note tone-${tone}`}>
      <summary class="row">
        <Icon name={toneIcons[tone]} />
        <span class="verdict-note-name">
          Note {number}: {formatRate(note.coupon)}, matures <Instant seconds={note.maturityTimestamp} only="date" />,{' '}
          {chain?.name ?? `chain ${note.chainId}`}
        </span>
        <span class="verdict-note-title soft">{title}</span>
      </summary>
      <p class="verdict-note-text soft">{text}</p>
      <NoteFacts {...checked} />
    </details>
  )
}
