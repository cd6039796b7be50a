import type { PortalInfo } from '@tallystick/core'
import { formatRate, Icon, Instant, type Tone } from '@tallystick/ui'
import { type Conclusion, conclude, concludeAll, type Finding } from './conclude.ts'
import { NoteFacts } from './note-facts.tsx'

type VerdictProps = { readonly findings: readonly Finding[]; readonly info: PortalInfo }

/** Renders the one verdict on all notes, and below it, folded, the verdict on each with its facts. */
export function Verdict({ findings, info }: VerdictProps) {
  const chainIds = info.chains.map(({ id }) => id)
  const [only, another] = findings
  if (!only) return null
  const whole = another ? concludeAll(findings, chainIds) : conclude(only, chainIds)
  return (
    <article class={`card verdict tone-${whole.tone}`}>
      <Headline {...whole} />
      {another ? (
        <details class="verdict-all" open={whole.tone === 'bad'}>
          <summary>All {findings.length} notes</summary>
          <ol class="verdict-notes ruled-top">
            {findings.map((finding, index) => (
              <li key={index}>
                <FoldedNote {...{ finding, number: index + 1, conclusion: conclude(finding, chainIds) }} />
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
    <header aria-live="polite">
      <span class="verdict-mark grid">
        <Mark tone={tone} />
      </span>
      <div>
        <h2>{title}</h2>
        <p>{text}</p>
      </div>
    </header>
  )
}

type FoldedNoteProps = {
  readonly finding: Finding
  readonly number: number
  readonly conclusion: Conclusion
}

function FoldedNote({ finding, number, conclusion: { tone, title, text } }: FoldedNoteProps) {
  const { note, chain } = finding.judgement
  return (
    <details class={`verdict-note tone-${tone}`}>
      <summary>
        <Mark tone={tone} />
        <span class="verdict-note-name">
          Note {number}: {formatRate(note.coupon)}, matures <Instant seconds={note.maturityTimestamp} only="date" />,{' '}
          {chain?.name ?? `chain ${note.chainId}`}
        </span>
        <span class="verdict-note-title soft">{title}</span>
      </summary>
      <p class="verdict-note-text soft">{text}</p>
      <NoteFacts {...finding} />
    </details>
  )
}

function Mark({ tone }: { readonly tone: Tone }) {
  return <Icon name={tone === 'good' ? 'check' : tone === 'bad' ? 'cross' : 'clock'} />
}
