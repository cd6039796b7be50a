import { Instant } from '@tallystick/ui'
import type { LogCheck } from './check-log.ts'

/** Renders in one line what the public log says about a genuine note. Undefined while it is looked up. */
export function LogLine({ check }: { readonly check: LogCheck | undefined }) {
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
