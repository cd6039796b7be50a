import { formatRate, Instant } from '@tallystick/ui'
import { Fact } from '../parts/fact.tsx'
import type { LogCheck } from './check-log.ts'
import type { CheckedNote } from './conclude.ts'

/** Renders the facts behind the verdict on a note. */
export function NoteFacts({ judgement: { note, chain, verification }, logCheck }: CheckedNote) {
  return (
    <dl class="facts facts-wide ruled-top">
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
  )
}

/** Renders in one line what the public log says about a genuine note. Undefined while it is looked up. */
function LogLine({ check }: { readonly check: LogCheck | undefined }) {
  if (!check) return <span class="muted">Looking it up…</span>
  switch (check.status) {
    case 'logged':
      return (
        <span class="good">
          Logged as entry {check.index.toLocaleString('en-US')} on <Instant seconds={check.issuedAt} />
          <span class="muted"> · the log has {check.size.toLocaleString('en-US')} entries</span>
        </span>
      )
    case 'missing':
      return (
        <span class="bad">
          <strong>Not logged.</strong> {check.text}
        </span>
      )
    case 'unreachable':
      return (
        <span class="warn">
          <strong>The log cannot be reached.</strong> {check.text} Whether the note is logged is not known.
        </span>
      )
    case 'untrusted':
      return (
        <span class="bad">
          <strong>The log cannot be trusted.</strong> See above.
        </span>
      )
    case 'no-log':
      return <span class="muted">This service has no public log. Nobody can check later what it signed.</span>
  }
}
