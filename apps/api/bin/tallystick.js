#!/usr/bin/env node
// Node opens its inspector on SIGUSR1 unless something else listens for it. Before anything else is loaded.
process.on('SIGUSR1', () => undefined)
await import('../dist/cli.js')
