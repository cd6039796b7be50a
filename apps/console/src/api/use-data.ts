import { usePolled } from '@tallystick/ui'
import { useCallback } from 'preact/hooks'
import type { AdminApi } from './admin-api.ts'

/** Requests a route at once and then at each interval, while the page is visible. */
export function useData<Value>(api: AdminApi, path: string, intervalMs: number) {
  const request = useCallback((signal: AbortSignal) => api.get<Value>(path, signal), [api, path])
  return usePolled(request, intervalMs)
}
