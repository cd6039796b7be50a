import { useEffect, useState } from 'preact/hooks'

// A visitor who looks at the wallet's window answers sooner.
const slowMs = 15_000

/** Returns whether the same request has been waiting for long. Undefined means that there is none. */
export function useIsSlow(request: unknown): boolean {
  const [slow, setSlow] = useState<unknown>(undefined)
  useEffect(() => {
    if (request === undefined) return undefined
    const timer = setTimeout(() => setSlow(request), slowMs)
    return () => clearTimeout(timer)
  }, [request])
  return request !== undefined && slow === request
}
