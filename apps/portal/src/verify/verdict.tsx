import type { ComponentChildren } from 'preact'
import type { PortalInfo } from '../data/portal-info.ts'
import { formatRate } from '../format/format-rate.ts'
import { formatInstant, newYorkZone, viewerZone, zoneName } from '../format/format-time.ts'
import { Icon } from '../parts/icons.tsx'
import type { Tone } from '../parts/notice.tsx'
import type { Judgement } from './judge-note.ts'

type Words = { readonly tone: Tone; readonly title: string; readonly text: string }

/** What is to be said of one note: the verdict first, then everything it rests on. */
export function Verdict({ judgement, info }: { readonly judgement: Judgement; readonly info: PortalInfo }) {
  const { note, chain, verification } = judgement
  const { tone, title, text } = wordsFor(judgement, info)
  return (
    <article class={`card verdict verdict-${tone}`}>
      <header>
        <span class="verdict-mark">
          <Icon name={tone === 'good' ? 'check' : tone === 'bad' ? 'cross' : 'clock'} />
        </span>
        <div>
          <h2>{title}</h2>
          <p>{text}</p>
        </div>
      </header>
      <dl class="facts facts-wide">
        <Fact name="Signed by">
          <span class="mono">{verification?.signer ?? 'no address can be recovered'}</span>
        </Fact>
        {chain ? (
          <Fact name="Signer of this service">
            <span class="mono">{chain.signer}</span>
          </Fact>
        ) : null}
        {chain ? (
          <Fact name="For">
            {chain.name}, chain {chain.id}, pool <span class="mono">{chain.pool}</span>, domain {chain.domain.name}{' '}
            {chain.domain.version}
          </Fact>
        ) : null}
        <Fact name="Coupon">{formatRate(note.coupon)}</Fact>
        <Fact name="Matures">
          <Instant seconds={note.maturityTimestamp} />
        </Fact>
        <Fact name="Usable from">
          <Instant seconds={note.validAfter + 1n} />
        </Fact>
        <Fact name="Usable before">
          <Instant seconds={note.validBefore} />
        </Fact>
      </dl>
    </article>
  )
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

/** In New York's time, which the protocol goes by, and in the visitor's. */
function Instant({ seconds }: { readonly seconds: bigint }) {
  const zone = viewerZone()
  // Beyond this a date cannot be written; such a note is nonsense, but pasted all the same.
  if (seconds > 8_640_000_000_000n) return <>{`${seconds}, far in the future`}</>
  return (
    <>
      {formatInstant(seconds, newYorkZone)} New York
      {zone === newYorkZone ? null : (
        <span class="muted">
          {' · '}
          {formatInstant(seconds, zone)} {zoneName(zone)}
        </span>
      )}
    </>
  )
}

function wordsFor({ chain, verification, status, isMature, note }: Judgement, info: PortalInfo): Words {
  if (!chain || !verification) {
    const known = info.chains.map(({ id }) => id).join(', ')
    return {
      tone: 'bad',
      title: 'A chain this service does not know',
      text: `The note says chain ${note.chainId}; this service signs for ${known}. It cannot be checked here.`,
    }
  }
  if (!verification.valid) {
    return {
      tone: 'bad',
      title: 'Not genuine',
      text: verification.signer
        ? 'The signature is not that of this service’s signer, so the pool will refuse it. Something in the note was changed, or it was signed for another pool, chain or domain, or by somebody else: a signature cannot tell which.'
        : `The signature is no signature at all: ${verification.reason}. The pool will refuse it.`,
    }
  }
  if (isMature)
    return {
      tone: 'calm',
      title: 'Genuine, but matured',
      text: 'It is past its own maturity. The pool will refuse it.',
    }
  switch (status) {
    case 'usable':
      return { tone: 'good', title: 'Genuine and usable now', text: 'The pool takes it until the end of its window.' }
    case 'not-yet-valid':
      return {
        tone: 'calm',
        title: 'Genuine, but not valid yet',
        text: 'The pool takes it from the start of its window on.',
      }
    case 'expired':
      return { tone: 'calm', title: 'Genuine, but expired', text: 'Its window is over. Fetch the notes on offer now.' }
  }
}
