// Without a listener, Node opens its inspector on SIGUSR1. This module is imported first.
process.on('SIGUSR1', () => undefined)
// Only the owner can read the embedded database, the log and the keys.
process.umask(0o077)

export {}
