// Node opens its inspector on SIGUSR1 unless something else listens for it. Imported first, to be in place early.
process.on('SIGUSR1', () => undefined)

export {}
