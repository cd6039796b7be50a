import type { LogStorage, Note } from '@tallystick/client'
import { quietStorage } from '@tallystick/ui'
import { useEffect, useMemo, useState } from 'preact/hooks'
import { checkLog, type LogCheck } from './check-log.ts'
import type { Judgement } from './conclude.ts'

const prefix = 'tallystick-log '

/** Keeps the last checkpoint of each log in this browser, so that a log cannot show it another history later. */
const logStorage: LogStorage = {
  get: (origin) => quietStorage.getItem(prefix + origin),
  set: (origin, checkpoint) => quietStorage.setItem(prefix + origin, checkpoint),
}

/** Looks for the genuine notes in the public log. `checks` is undefined until then. */
export function useLogChecks(judgements: readonly Judgement[], key: string | undefined) {
  const [attempt, setAttempt] = useState(0)
  const [checks, setChecks] = useState<ReadonlyMap<Note, LogCheck>>()
  const genuine = useMemo(
    () => judgements.filter(({ verification }) => verification?.valid).map(({ note }) => note),
    [judgements],
  )
  useEffect(() => {
    setChecks(undefined)
    if (genuine.length === 0) return undefined
    let isCurrent = true
    void checkLog(genuine, { log: `${location.origin}/log`, key, storage: logStorage }).then((found) => {
      if (isCurrent) setChecks(found)
    })
    return () => {
      isCurrent = false
    }
  }, [genuine, key, attempt])
  const alarm = [...(checks?.values() ?? [])].find((check) => check.status === 'untrusted')
  const forget = () => {
    forgetCheckpoints()
    setAttempt(attempt + 1)
  }
  return { checks, alarm, forget }
}

/** Forgets all checkpoints. */
function forgetCheckpoints(): void {
  try {
    for (const name of Object.keys(localStorage)) if (name.startsWith(prefix)) localStorage.removeItem(name)
  } catch {
    // Without storage there is nothing to forget.
  }
}
