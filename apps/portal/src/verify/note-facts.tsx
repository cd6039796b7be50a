import { formatRate, Instant } from '@tallystick/ui'
import { Fact } from '../parts/fact.tsx'
import type { Finding } from './conclude.ts'
import { LogLine } from './log-line.tsx'

/** Renders the facts behind the verdict on a note. */
export function NoteFacts({ judgement: { note, chain, verification }, logCheck }: Finding) {
  return (
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
  )
}
