#!/usr/bin/env node
// Node opens its inspector on SIGUSR1 unless something else listens for it. Before anything else is loaded.
process.on('SIGUSR1', () => undefined)
// The files of the embedded database and the signer journal are for their owner alone.
process.umask(0o077)
await import('../dist/bundle/cli.js')
