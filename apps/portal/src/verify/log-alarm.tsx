import { Notice } from '@tallystick/ui'
import type { LogCheck } from './check-log.ts'

type LogAlarmProps = {
  readonly check: Extract<LogCheck, { readonly status: 'untrusted' }>
  readonly onForget: () => void
}

/** Renders why the log cannot be trusted, with the checkpoints that prove it. */
export function LogAlarm({ check: { text, evidence }, onForget }: LogAlarmProps) {
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
        <button type="button" class="chip" onClick={onForget}>
          forget the old one
        </button>
      </p>
    </Notice>
  )
}
