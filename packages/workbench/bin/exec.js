#!/usr/bin/env node
// `exec node <file> [options]` of npm's scripts where the shell has no `exec`, as on Windows: npm puts this file on the PATH
// of scripts. Other shells replace themselves by Node, so that a signal to npm reaches it.
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

const [, , file] = process.argv.splice(1, 3)
process.argv.splice(1, 0, resolve(file))
await import(pathToFileURL(process.argv[1]))
