import type { ComponentChildren } from 'preact'
import type { PortalInfo } from '../data/portal-info.ts'
import { formatRate } from '../format/format-rate.ts'
import { formatInstant, newYorkZone, viewerZone, zoneName } from '../format/format-time.ts'
import { Icon } from '../parts/icons.tsx'
import type { Tone } from '../parts/notice.tsx'
import type { LogCheck } from './check-log.ts'
import type { Judgement } from './judge-note.ts'
import { LogLine } from './log-line.tsx'

type Conclusion = { readonly tone: Tone; readonly title: string; readonly text: string }

/** Renders the result of one note: the verdict, then the facts behind it. */
export function Verdict({
  judgement,
  info,
  logCheck,
}: {
  readonly judgement: Judgement
  readonly info: PortalInfo
  /** Undefined until a genuine note was looked for in the public log. */
  readonly logCheck: LogCheck | undefined
}) {
  const { note, chain, verification } = judgement
  const { tone, title, text } = conclude(judgement, { info, logCheck })
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
        {verification?.valid ? (
          <Fact name="Public log">
            <LogLine check={logCheck} />
          </Fact>
        ) : null}
        <Fact name="Signed by">
          <span class="mono">{verification?.signer ?? 'no address recovered'}</span>
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

/** Renders an instant in New York time, which the protocol uses, and in the visitor's time. */
function Instant({ seconds }: { readonly seconds: bigint }) {
  const zone = viewerZone()
  // The largest instant that Date supports.
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

function conclude(
  { chain, verification, status, isMature, note }: Judgement,
  { info, logCheck }: { readonly info: PortalInfo; readonly logCheck: LogCheck | undefined },
): Conclusion {
  if (!chain || !verification) {
    const known = info.chains.map(({ id }) => id).join(', ')
    return {
      tone: 'bad',
      title: 'Unknown chain',
      text: `The note is for chain ${note.chainId}. This service signs for ${known}, so it cannot verify the note.`,
    }
  }
  if (!verification.valid) {
    return {
      tone: 'bad',
      title: 'Not genuine',
      text: verification.signer
        ? 'The signature is not from this service’s signer, so the pool will reject the note. The note was changed, signed for another pool, chain or domain, or signed by another key. The signature does not show which.'
        : `The signature is malformed: ${verification.reason}. The pool will reject the note.`,
    }
  }
  if (logCheck?.status === 'missing')
    return {
      tone: 'bad',
      title: 'Genuine, but not logged',
      text: 'It was signed, but nobody else can see it. Do not use the note, and report it to the operator.',
    }
  if (logCheck?.status === 'untrusted')
    return {
      tone: 'bad',
      title: 'Genuine, but the public log cannot be trusted',
      text: 'Do not use the note before the operator has explained the log.',
    }
  if (isMature)
    return {
      tone: 'calm',
      title: 'Genuine, but matured',
      text: 'The maturity has passed. The pool will reject the note.',
    }
  switch (status) {
    case 'usable':
      return {
        tone: 'good',
        title: 'Genuine and usable now',
        text: 'The pool accepts the note until the end of its period.',
      }
    case 'not-yet-valid':
      return {
        tone: 'calm',
        title: 'Genuine, but not valid yet',
        text: 'The pool accepts the note from the start of its period.',
      }
    case 'expired':
      return {
        tone: 'calm',
        title: 'Genuine, but expired',
        text: 'The period of the note has ended. Fetch the current notes.',
      }
  }
}
