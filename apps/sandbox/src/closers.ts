/** Resources that are stopped in the reverse order of their start. */
export type Closers = {
  /** Adds a resource that is starting. `close` waits for its start and stops it. */
  add<Resource extends { stop(): Promise<void> }>(resource: Promise<Resource>): Promise<Resource>
  close(): Promise<void>
  isClosing(): boolean
}

export function createClosers(): Closers {
  const added: Promise<{ stop(): Promise<void> }>[] = []
  let closing = false
  return {
    add: (resource) => {
      added.push(resource)
      return resource
    },
    close: async () => {
      closing = true
      for (const resource of added.splice(0).reverse()) {
        // A resource that failed to start has nothing to stop. Its caller handles the error.
        const started = await resource.catch(() => undefined)
        await started?.stop()
      }
    },
    isClosing: () => closing,
  }
}
