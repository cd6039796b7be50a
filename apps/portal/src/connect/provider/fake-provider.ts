import type { Provider } from './provider.ts'

type Handler = (params: readonly unknown[]) => unknown

/** Creates a provider for tests. A method without a handler fails with 4200. */
export function createFakeProvider(handlers: Record<string, Handler>) {
  const listeners = new Map<string, Set<(value: unknown) => void>>()
  const calls: { readonly method: string; readonly params: unknown }[] = []
  const provider: Provider = {
    request: async ({ method, params = [] }) => {
      calls.push({ method, params })
      const handler = handlers[method]
      if (!handler) throw { code: 4200, message: `no ${method}` }
      return handler(params as readonly unknown[])
    },
    on: (event, listener) => listeners.set(event, (listeners.get(event) ?? new Set()).add(listener)),
    removeListener: (event, listener) => listeners.get(event)?.delete(listener),
  }
  const emit = (event: string, value: unknown) => {
    for (const listener of [...(listeners.get(event) ?? [])]) listener(value)
  }
  const listenerCount = () => [...listeners.values()].reduce((sum, { size }) => sum + size, 0)
  return { provider, calls, handlers, emit, listenerCount, methods: () => calls.map(({ method }) => method) }
}
