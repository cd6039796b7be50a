import { createTestDatabase as create } from '../../packages/workbench/src/test-database.ts'

// In place of `@tallystick/workbench/test-database` while sources are mutated.
export const createTestDatabase = create
export const databaseEngines = ['postgres'] as const
