// Node opens its inspector on SIGUSR1 unless something else listens for it. Imported first, to be in place early.
process.on('SIGUSR1', () => undefined)
// The files of the embedded database, the log and the keys are for their owner alone.
process.umask(0o077)

export {}
