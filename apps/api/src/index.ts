export { createOperator, type Operator } from './admin/operator.ts'
export { type Clock, createClock, type ShiftableClock } from './clock.ts'
export { type Config, loadConfig, parseConfig } from './config.ts'
export { openServiceDatabase, type Service, startService } from './main.ts'
