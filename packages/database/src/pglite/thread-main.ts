import { workerData } from 'node:worker_threads'
import { openEngine } from './engine.ts'
import type { ThreadSettings } from './messages.ts'
import { servePort } from './serve-port.ts'

// The thread of an embedded database (thread.ts starts it).

const { path, port, ...options } = workerData as ThreadSettings
servePort(port, openEngine(path, options))
